import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Result } from "../src/core/result/result.ts";
import type { Exchange } from "../src/core/exchange/exchange.ts";
import { limitPhases } from "../src/core/exchange/limit-phase.ts";
import { phaseOfFirstRound } from "../src/core/exchange/round-phase.ts";
import { readOp } from "../src/limits/history/history.ts";
import type { LimitOp } from "../src/limits/history/op.ts";
import { judgeRun } from "../src/run/record/judge-run.ts";
import { readRun } from "../src/run/record/read-run.ts";
import { writeReports } from "../src/run/record/write-reports.ts";

const sample = join(import.meta.dirname, "../reports/sample");
const rendered = ["result.json", "report.html", "junit.xml"] as const;
const keptAs = { "result.json": "result.json.gz", "report.html": "report.html", "junit.xml": "junit.xml" } as const;
const kept = [...Object.values(keptAs), "run.json", "evidence.ndjson.gz", "load.ndjson.gz", "README.md"] as const;

function readKept(name: string): Buffer {
  const bytes = readFileSync(join(sample, name));
  return name.endsWith(".gz") ? gunzipSync(bytes) : bytes;
}

/** Judged and rendered anew from the committed record. `npm run sample` refreshes the committed files. */
describe("reports/sample", () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-sample-test-"));
  let result: Result;
  let recorded: readonly Exchange[];

  beforeAll(async () => {
    writeFileSync(join(folder, "run.json"), readFileSync(join(sample, "run.json")));
    writeFileSync(join(folder, "evidence.ndjson"), readKept("evidence.ndjson.gz"));
    writeFileSync(join(folder, "load.ndjson"), readKept("load.ndjson.gz"));
    const { record, exchanges, load, problems } = await readRun(folder);
    if (problems.length > 0) throw new Error(`the record is damaged: ${problems[0]}`);
    recorded = exchanges;
    result = judgeRun(record, exchanges, load);
    await writeReports({ result, evidence: exchanges, folder, reporters: [] });
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(rendered)("%s is what the record gives today (else: npm run sample)", (name) => {
    expect(readFileSync(join(folder, name)).equals(readKept(keptAs[name]))).toBe(true);
  });

  it("shows failures in conformance and limits, and a valid load", () => {
    const failed = result.findings.filter((finding) => finding.verdict === "fail");
    expect(new Set(failed.map((finding) => finding.stage))).toEqual(new Set(["conformance", "limits"]));
    expect(result.exitCode).toBe(1);
    expect(result.load?.profiles.map((profile) => profile.validity.valid)).toEqual([true]);
    expect(result.health.valid).toBe(true);
  });

  it("holds no phase of an exam that no judge looks for", () => {
    const sent = recorded
      .map(readOp)
      .filter((op) => op !== null)
      .filter(({ policy }) => policy !== "");
    expect(sent.length).toBeGreaterThan(500);
    const phases: Readonly<Record<string, object>> = limitPhases;
    const isKnown = ({ policy, phase }: LimitOp): boolean => Object.hasOwn(phases[policy]!, phaseOfFirstRound(phase));
    expect(sent.flatMap((op) => (isKnown(op) ? [] : [`${op.policy}: ${op.phase}`]))).toEqual([]);
  });

  it("is a typical report, and below 400 KB", () => {
    expect(statSync(join(sample, "report.html")).size).toBeLessThan(400_000);
  });

  it("says nothing of the machine that recorded it", () => {
    for (const name of kept) {
      const text = readKept(name).toString("utf8");
      expect(text).not.toMatch(/\/(?:work|tmp|home|root|Users)\//);
      // Two cases send words that are no key of anybody (suites/limits/limits.ts).
      expect(text).not.toMatch(/\bsk-[A-Za-z0-9]{6}|Bearer (?!assay-(?:before-the-limit|while-limited)")[\w.-]{12}/);
      expect(text).not.toMatch(/https?:\/\/(?!127\.0\.0\.1\b)[\w.-]+:\d/);
    }
  });
});
