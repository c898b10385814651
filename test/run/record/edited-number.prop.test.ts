import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeChallenge } from "../../../src/features/certify/challenge/challenge.ts";
import { startReferenceService } from "../../../src/index.ts";
import { executeRun } from "../../../src/run/execute-run.ts";
import { readRunRequest } from "../../../src/run/request/read-run-request.ts";
import { findChangedReports } from "../../../src/run/record/find-changed-reports.ts";
import { readRun } from "../../../src/run/record/read-run.ts";
import { rejudgeRun } from "../../../src/run/record/rejudge-run.ts";
import { makeKeys } from "../../features/certify/sample-bundle.ts";
import { shortProfile } from "../../make/load/run-against.ts";
import { testRandom, sampleTitle } from "../../make/runner/sample.ts";
import { recordChallenge } from "../../../src/features/certify/challenge/open-challenge.ts";

const isWhole = process.env["ASSAY_TEST_ALL"] === "1";
/** The files that a run is judged from; everything else is rendered anew, which takes longer. */
const recordFiles = new Set([
  "run.json",
  "evidence.ndjson",
  "load.ndjson",
  "challenge.json",
  "commitment.dsse.json",
  "heads.ndjson",
]);
/** A number in each file; 10,000 of the record in `npm run test:all`. */
const editsOf = (name: string): number => (!isWhole ? 1 : recordFiles.has(name) ? 1700 : 20);
const outDir = mkdtempSync(join(tmpdir(), "assay-edited-"));
const copy = join(outDir, "copy");
const service = await startReferenceService({ seed: 3, mutants: ["models/owner-absent"] });
const reporters = ["markdown", "ndjson", "ctrf", "csv", "prometheus", "badge"];
const profile = shortProfile({ id: "short", durationSeconds: 0.5, workload: [{ endpoint: "models" }] });
const request = { manifest: service.manifest, stages: ["conformance", "load"], suites: ["models"], reporters, outDir } as const;
const challenge = makeChallenge({ now: new Date(), validForMs: 3_600_000, policySha256: null });
const options = readRunRequest({ ...request, profiles: [{ profile, trace: null }] });
const challengeRecorder = recordChallenge({ challenge, key: makeKeys("ed25519").signing, onCommitment() {} });
const { folder } = await executeRun({ ...options, challengeRecorder });
await service.close();
afterAll(() => rmSync(outDir, { recursive: true }));

/** The objection of `assay report` to the folder. */
async function said(): Promise<string> {
  try {
    const { problems } = await readRun(copy);
    // A report says these and goes on.
    if (problems.length > 0) return problems.join("\n");
    const judged = await rejudgeRun(copy);
    return [...judged.problems, ...(judged.problems.length > 0 ? [] : await findChangedReports(copy, judged))].join("\n");
  } catch (error) {
    return String(error);
  }
}

describe("a run folder", () => {
  it("has nothing said against it as the run wrote it", async () => {
    cpSync(folder, copy, { recursive: true });
    expect(await said()).toBe("");
    expect(readdirSync(folder).toSorted()).toEqual([
      "badge.json",
      "challenge.json",
      "commitment.dsse.json",
      "ctrf-report.json",
      "evidence.ndjson",
      "heads.ndjson",
      "junit.xml",
      "load.ndjson",
      "metrics.csv",
      "metrics.prom",
      "report.html",
      "report.md",
      "result.json",
      "result.ndjson",
      "run.json",
    ]);
  });

  it(`is named with the file where one number in any of its files was edited (${sampleTitle})`, async () => {
    const random = testRandom("edited numbers");
    let edited = 0;
    cpSync(folder, copy, { recursive: true });
    for (const name of readdirSync(folder)) {
      const text = readFileSync(join(folder, name), "utf8");
      const digits = [...text.matchAll(/\d/g)];
      for (let edit = 0; edit < editsOf(name); edit += 1) {
        const { index, 0: digit } = digits[random.integer(0, digits.length - 1)]!;
        const other = String((Number(digit) + random.integer(1, 9)) % 10);
        writeFileSync(join(copy, name), text.slice(0, index) + other + text.slice(index + 1));
        expect(`${name} at ${index}: ${await said()}`).toMatch(new RegExp(`: [^]*${name.replaceAll(".", "\\.")}`));
        edited += 1;
      }
      writeFileSync(join(copy, name), text);
    }
    expect(edited).toBeGreaterThanOrEqual(isWhole ? 10_000 : 15);
  });
});
