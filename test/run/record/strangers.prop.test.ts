import * as fc from "fast-check";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { visibleJson } from "../../../src/core/exchange/visible-json.ts";
import { createRandom, type Random } from "../../../src/core/random.ts";
import { suiteIds } from "../../../src/core/result/requirement.ts";
import { createEvidenceWriter } from "../../../src/evidence/evidence-writer.ts";
import { createLedgerFile, type LoadLine } from "../../../src/run/record/ledger-file.ts";
import { rejudgeRun } from "../../../src/run/record/rejudge-run.ts";
import type { RunRecord } from "../../../src/run/record/run-record.ts";
import { sealRecord } from "../../../src/run/record/seal-record.ts";
import { renderStandard } from "../../../src/run/record/write-reports.ts";
import { specification } from "../../../src/run/specification.ts";
import { createRedactor } from "../../../src/wire/redaction/redaction.ts";
import { shortProfile } from "../../load/run-against.ts";
import { confuseJson } from "../../make/confuse-json.ts";
import { hostileAnswer, recordAnswer } from "../../make/hostile-answer.ts";
import { makeRunRecord } from "../../make/make-run-record.ts";
import { testManifest } from "../../make/test-manifest.ts";

const isWhole = process.env["ASSAY_TEST_ALL"] === "1";
const rounds = isWhole ? 3000 : 60;
const folder = mkdtempSync(join(tmpdir(), "assay-strangers-"));
afterAll(() => rmSync(folder, { recursive: true }));

const manifest = testManifest("http://127.0.0.1:1");
const redactor = createRedactor(manifest);
const tool = { name: "assay", version: "0.1.0" } as const;
const exchanges: readonly Exchange[] = fc
  .sample(hostileAnswer, { numRuns: 24, seed: 5 })
  .map((one, index) => recordAnswer(one, index + 1, 900 * index, redactor));
const base = makeRunRecord({
  stages: ["conformance", "limits", "load"],
  suites: suiteIds,
  spent: { requests: 24, promptTokens: 0, completionTokens: 0, estimatedUsd: 0 },
});
const gates = ["error_rate < 5%"];
const profile = { ...shortProfile({ id: "x", gates }), gates };
const ledger: readonly LoadLine[] = [
  { kind: "calibration", calibration: null },
  { kind: "watch", manifest: base.manifest },
  { kind: "profile", profile, workload: "chat", seed: 1, virtualTime: false, loops: null },
  { kind: "start", loop: 0, startMs: 0, fromMs: 0 },
  {
    kind: "share",
    loop: 0,
    areaMs: 0,
    planned: 0,
    retried: 0,
    races: { count: 0, outOf: 0 },
    toMs: 1,
    endMs: 1,
    rates: [],
    stopReason: null,
  },
  { kind: "measured" },
  { kind: "watched" },
];

/** Files whose digests and seals all hold together, as whoever computes them anew can write them. */
async function write(parts: {
  readonly record: RunRecord;
  readonly exchanges: readonly unknown[];
  readonly ledger: readonly unknown[];
}): Promise<void> {
  const path = join(folder, "evidence.ndjson");
  rmSync(path, { force: true });
  rmSync(join(folder, "load.ndjson"), { force: true });
  const { command, seed, strict, runId, startedAt, manifest: shown } = base;
  const writer = createEvidenceWriter(path, {
    kind: "header",
    schemaVersion: "1.0",
    runId,
    tool,
    specSha256: specification.sha256,
    startedAt,
    seed,
    strict,
    command,
    manifest: shown,
  });
  for (const one of parts.exchanges) writer.append(one as Exchange);
  await writer.close({ interrupted: false });
  const file = createLedgerFile(join(folder, "load.ndjson"), {
    header: { kind: "header", schemaVersion: "1.0", runId, tool },
    mask: (text) => text,
  });
  for (const line of parts.ledger) file.write(line as LoadLine);
  await file.close(false);
  const { seal: _seal, ...record } = parts.record;
  const sealed = sealRecord({ ...record, heads: { evidence: writer.head(), load: file.head() } });
  writeFileSync(join(folder, "run.json"), `${visibleJson(sealed, 1)}\n`);
}

/** What became of it: a refusal in words, or a result. */
async function judge(): Promise<string> {
  let judged;
  try {
    judged = await rejudgeRun(folder);
  } catch (error) {
    // A refusal names the file; anything else is a fault of ours.
    const { message, stack } = error as Error;
    return /run\.json|evidence\.ndjson/.test(message) ? "refused" : `fault: ${stack ?? message}`;
  }
  const { result } = judged;
  if (result.exitCode === 4) return `fault: ${result.reason}`;
  const rendered = await renderStandard(result, judged.exchanges);
  return rendered.size === 3 ? "judged" : `fault: rendered ${[...rendered.keys()].join()}`;
}

const drawn = (random: Random) => (most: number) => random.integer(0, most);

describe("a run folder of a stranger, sealed anew", () => {
  it("is judged as it stands", async () => {
    await write({ record: base, exchanges, ledger });
    expect(await judge()).toBe("judged");
  });

  it.each(["evidence", "ledger", "record"] as const)(
    "with anything in its %s is judged, or refused in words",
    async (part) => {
      const random = createRandom(isWhole ? Date.now() : 3).fork(part);
      const seen = new Set<string>();
      for (let round = 0; round < rounds; round += 1) {
        const at = random.integer(0, 1000);
        // From one changed value to hardly any that is left.
        const oneIn = 3 + random.integer(0, 60);
        const confuse = <Value>(value: Value): Value => confuseJson(value, drawn(random), oneIn) as Value;
        const some = <Value>(all: readonly Value[]): readonly Value[] =>
          all.map((one, index) => (index === at % all.length ? confuse(one) : one));
        await write({
          record: part === "record" ? sealRecord({ ...base, ...confuse(base) }) : base,
          exchanges: part === "evidence" ? some(exchanges) : exchanges,
          ledger: part === "ledger" ? some(ledger) : ledger,
        });
        const outcome = await judge();
        expect([round, outcome]).toEqual([round, expect.stringMatching(/^(?:judged|refused)$/)]);
        seen.add(outcome);
      }
      expect(seen.has("judged")).toBe(true);
    },
    3_600_000,
  );
});
