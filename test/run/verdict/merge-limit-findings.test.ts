import { expect, it } from "vitest";
import type { JudgedConformance } from "../../../src/conformance/verdict/judge-conformance.ts";
import type { LimitsResult } from "../../../src/core/result/limits-result.ts";
import { mergeLimitFindings } from "../../../src/run/verdict/merge-limit-findings.ts";

function judged(
  findings: readonly { readonly id: string; readonly check: string; readonly requirement: string }[],
): JudgedConformance {
  const requirements = [...new Set(findings.map((finding) => finding.requirement))].map((id) => ({
    id,
    findings: findings.filter((finding) => finding.requirement === id).map((finding) => finding.id),
  }));
  return { result: { suites: [], requirements, leniency: [], staleBaseline: [] }, findings } as unknown as JudgedConformance;
}

const limits = {
  policies: [
    {
      checks: [
        { requirements: ["RATE-018", "RATE-039"], findings: ["L001"] },
        { requirements: ["RATE-020"], findings: [] },
      ],
    },
    { checks: [{ requirements: ["RATE-018"], findings: ["L002"] }] },
  ],
} as unknown as LimitsResult;

it("reports a defect of a limiter once, by the finding that carries the certificate", () => {
  const before = judged([
    { id: "F001", check: "limit-checks", requirement: "RATE-018" },
    { id: "F002", check: "rate-limit-header-series", requirement: "RATE-018" },
    { id: "F003", check: "limit-checks", requirement: "RATE-020" },
    { id: "F004", check: "limit-checks", requirement: "RATE-039" },
  ]);
  const after = mergeLimitFindings(before, limits);
  expect(after.findings.map((finding) => finding.id)).toEqual(["F002", "F003"]);
  expect(after.result.requirements.map(({ id, findings }) => [id, findings])).toEqual([
    ["RATE-018", ["F002", "L001", "L002"]],
    ["RATE-020", ["F003"]],
    ["RATE-039", ["L001"]],
  ]);
});

it("changes nothing without a limits stage", () => {
  const before = judged([{ id: "F001", check: "limit-checks", requirement: "RATE-018" }]);
  expect(mergeLimitFindings(before, null)).toBe(before);
});
