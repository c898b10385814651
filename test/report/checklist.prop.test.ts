import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Finding } from "../../src/core/result/finding.ts";
import type { RequirementResult } from "../../src/core/result/conformance-result.ts";
import type { Result } from "../../src/core/result/result.ts";
import { exitCodes, type Verdict } from "../../src/core/result/verdict.ts";
import { buildChecklist } from "../../src/report/checklist.ts";
import { failOnce } from "../../src/report/fail-once.ts";
import { listFailures } from "../../src/report/list-failures.ts";
import { renderCtrf } from "../../src/report/reporters/ctrf.ts";
import { renderJunit } from "../../src/report/reporters/junit.ts";
import { buildSample } from "../make/sample-result/sample-result.ts";
import { runsOf } from "../make/runner/sample.ts";

const { result: sample } = buildSample();
const verdicts: readonly Verdict[] = [
  "pass",
  "fail",
  "advisory",
  "observed",
  "inconclusive",
  "untested",
  "not-applicable",
  "excluded",
];
const [template] = sample.findings;

const findings = fc.array(
  fc.record({
    stage: fc.constantFrom<Finding["stage"]>("conformance", "limits", "load", "baseline", "harness"),
    verdict: fc.constantFrom<Finding["verdict"]>("fail", "advisory"),
    baselined: fc.boolean(),
    linked: fc.boolean(),
  }),
  { maxLength: 4 },
);
const rows = fc.array(
  fc.record({
    verdict: fc.constantFrom(...verdicts),
    level: fc.constantFrom<RequirementResult["level"]>("must", "implied", "should", "may", "unspecified"),
    suite: fc.constantFrom<RequirementResult["suite"]>("chat", "core", "convention"),
  }),
  { maxLength: 5 },
);
const results = fc
  .record({
    findings,
    rows,
    strict: fc.boolean(),
    exitCode: fc.constantFrom(...Object.values(exitCodes).filter((code) => code !== exitCodes.usage)),
    hasLoad: fc.boolean(),
    hasLimits: fc.boolean(),
    hasConformance: fc.boolean(),
    gate: fc.constantFrom(...verdicts),
    healthy: fc.boolean(),
  })
  .map((drawn): Result => {
    const all = drawn.findings.map(({ stage, verdict: found, baselined }, index): Finding => ({
      ...template!,
      stage,
      verdict: found,
      baselined,
      id: `X.${index}`,
    }));
    const verdict =
      drawn.exitCode === 0 ? "passed" : drawn.exitCode === 1 ? "failed" : drawn.exitCode === 3 ? "incomplete" : "interrupted";
    const requirements = drawn.rows.map((row, index): RequirementResult => ({
      ...sample.conformance!.requirements[0]!,
      ...row,
      id: `ROW-${index}`,
      reason: "r",
      findings: drawn.findings.flatMap(({ linked }, at) => (linked && at === index ? [`X.${at}`] : [])),
    }));
    const profiles = sample.load!.profiles.map((profile) => ({
      ...profile,
      gates: profile.gates.map((gate) => ({ ...gate, verdict: drawn.gate })),
    }));
    return {
      ...sample,
      verdict,
      exitCode: drawn.exitCode,
      strict: drawn.strict,
      findings: all,
      health: { ...sample.health, valid: drawn.healthy },
      conformance: drawn.hasConformance ? { ...sample.conformance!, requirements } : null,
      limits: drawn.hasLimits ? sample.limits : null,
      load: drawn.hasLoad ? { ...sample.load!, profiles } : null,
    };
  });

describe("a test report", () => {
  it("fails exactly where the exit code is not 0, in every format", () => {
    fc.assert(
      fc.property(results, (result) => {
        const items = buildChecklist(result);
        const red = items.filter(({ outcome }) => outcome === "failed" || outcome === "error").length;
        expect(red > 0).toBe(result.exitCode !== 0);
        const junit = renderJunit(result);
        expect(/<failure |<error /.test(junit)).toBe(result.exitCode !== 0);
        const ctrf = JSON.parse(renderCtrf(result)) as { results: { summary: { failed: number } } };
        expect(ctrf.results.summary.failed > 0).toBe(result.exitCode !== 0);
      }),
      { numRuns: runsOf(150) },
    );
  });

  it("counts the failures that the other outputs count", () => {
    fc.assert(
      fc.property(
        results.filter(({ exitCode }) => exitCode === 1),
        (result) => {
          const items = failOnce(buildChecklist(result), result);
          const failures = new Set(listFailures(result).map(({ id }) => id));
          const red = items.filter(({ outcome, findings }) => outcome === "failed" && findings.length > 0);
          const shown = red.flatMap(({ findings }) => findings.filter((id) => failures.has(id)));
          // Each in one case, as far as a failed row cites it; a row of the catalogue may fail without any.
          expect(new Set(shown).size).toBe(shown.length);
          expect(red.filter(({ findings }) => findings.some((id) => failures.has(id))).length).toBe(shown.length);
        },
      ),
      { numRuns: runsOf(100) },
    );
  });

  it("names each case once and shows every finding", () => {
    fc.assert(
      fc.property(results, (result) => {
        const items = failOnce(buildChecklist(result), result);
        expect(new Set(items.map(({ suite, name }) => `${suite} ${name}`)).size).toBe(items.length);
        const shown = new Set(items.flatMap((item) => item.findings));
        expect(result.findings.map(({ id }) => id).filter((id) => !shown.has(id))).toEqual([]);
      }),
      { numRuns: runsOf(100) },
    );
  });
});
