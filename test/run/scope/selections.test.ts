import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { suiteIds } from "../../../src/core/result/requirement.ts";
import type { Result } from "../../../src/core/result/result.ts";
import { startReferenceService } from "../../../src/reference/start-reference-service.ts";
import { executeRun } from "../../../src/run/execute-run.ts";
import { readRunRequest } from "../../../src/run/request/read-run-request.ts";
import type { RunRequest } from "../../../src/run/request/run-request.ts";
import { isWhole } from "../../make/runner/sample.ts";

const outDir = mkdtempSync(join(tmpdir(), "assay-selections-"));
const service = await startReferenceService({ latency: "instant" });
afterAll(async () => {
  await service.close();
  rmSync(outDir, { recursive: true });
});

async function check(selection: RunRequest): Promise<Result> {
  const request = { stages: ["conformance"] as const, outDir, env: {}, manifest: service.manifest, ...selection };
  return (await executeRun(readRunRequest(request))).result;
}

/** Those of which others ask for rows; the rest belongs to `npm run test:all`. */
const asked = isWhole ? suiteIds : (["core", "limits", "spend"] as const);

// ERR-020 is a row of the suite core, and broken JSON is sent by the suites chat and settings.
it.each(asked)("%s alone leaves no row open that only others ask for", async (suite) => {
  const { exitCode, scope } = await check({ suites: [suite] });
  expect({ exitCode, open: scope?.open }).toEqual({ exitCode: 0, open: [] });
  expect(scope?.judged).toBeGreaterThan(0);
});

/** Rows of other suites than the cases that ask for them, and one that no case asks for. */
const always = ["ERR-020", "ERR-021", "CMPL-008"];

async function someJudged(): Promise<readonly string[]> {
  const { conformance } = await check({});
  const judged = (conformance?.requirements ?? []).filter(({ verdict, inPassing }) => verdict === "pass" && !inPassing);
  return judged.filter((_row, place) => place % 10 === 0).map(({ id }) => id);
}

it(`rows that a whole check judges are judged when they are asked for by id (${always.join(", ")}; all: each tenth)`, async () => {
  const ids = [...new Set([...always, ...(isWhole ? await someJudged() : [])])];
  const silent: string[] = [];
  for (const id of ids) {
    const { exitCode, conformance } = await check({ requirements: [id] });
    const row = conformance?.requirements.find((one) => one.id === id);
    // The condition of a row on all answers may arise in other suites only.
    if (row?.verdict === "not-applicable" && !always.includes(id)) continue;
    if (row?.verdict !== "pass") silent.push(`${id}: exit ${exitCode}, ${row?.verdict} (${row?.reason})`);
  }
  expect(silent).toEqual([]);
});
