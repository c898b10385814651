import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ConformanceResult, SuiteResult } from "../../../src/core/result/conformance-result.ts";
import type { Finding } from "../../../src/core/result/finding.ts";
import type { LimitsResult } from "../../../src/core/result/limits-result.ts";
import type { GateResult, LoadProfileResult, LoadStep } from "../../../src/core/result/load-result.ts";
import { decideVerdict, type Judged } from "../../../src/run/verdict/decide-verdict.ts";

const noCounts = { must: {}, implied: {}, should: {}, may: {}, unspecified: {} };

function conformance(verdicts: Readonly<Partial<Record<SuiteResult["id"], SuiteResult["verdict"]>>>): ConformanceResult {
  const suites = Object.entries(verdicts).map(([id, verdict]) => ({ id: id as SuiteResult["id"], verdict, counts: noCounts }));
  return { suites, requirements: [], matrix: [], leniency: [], staleBaseline: [] };
}

function finding(changes: Partial<Finding> = {}): Finding {
  return {
    id: "F001",
    stage: "conformance",
    requirement: "CHAT-021",
    check: "rejects-as-stated",
    level: "must",
    verdict: "fail",
    message: "m",
    spec: null,
    sent: null,
    expected: "e",
    observed: "o",
    exchanges: [1],
    more: 0,
    curl: null,
    baselined: false,
    ...changes,
  };
}

function profile(gates: readonly Partial<GateResult>[], valid = true): LoadProfileResult {
  const validity = { valid, reasons: valid ? [] : ["generator-limited"] };
  return { id: "smoke", gates, validity, steps: [], knee: null } as unknown as LoadProfileResult;
}

const limits = (verdict: LimitsResult["verdict"]): LimitsResult => ({
  verdict,
  policies: [],
  spent: { requests: 0, minutes: 0, cents: 0 },
  notJudged: [],
});

const nothing: Judged = {
  findings: [],
  strict: false,
  interrupted: null,
  internalError: null,
  invalidBecause: [],
  conformance: null,
  limits: null,
  load: null,
};

function decide(changes: Partial<Judged>): readonly [string, number, string] {
  const { verdict, exitCode, reason } = decideVerdict({ ...nothing, ...changes });
  return [verdict, exitCode, reason];
}

describe("decideVerdict", () => {
  it("never passes when nothing was judged", () => {
    expect(decide({})).toEqual(["invalid", 3, "nothing was judged"]);
  });

  it("passes only what was judged and met", () => {
    expect(decide({ conformance: conformance({ chat: "conformant" }) })).toEqual(["met", 0, "conformant in chat"]);
    expect(decide({ limits: limits("pass"), load: { profiles: [profile([{ verdict: "pass" }])], calibration: null } })).toEqual([
      "met",
      0,
      "limits correct, load gates met",
    ]);
    expect(decide({ limits: limits("advisory") })).toEqual(["met", 0, "limits advisory"]);
  });

  it("calls an incomplete suite invalid, but not the overlay", () => {
    expect(decide({ conformance: conformance({ chat: "conformant", usage: "incomplete" }) })).toEqual([
      "invalid",
      3,
      "incomplete: not every MUST could be judged in usage",
    ]);
    expect(decide({ conformance: conformance({ chat: "conformant", convention: "incomplete" }) })[1]).toBe(0);
  });

  it.each(["inconclusive", "untested"] as const)("does not pass limits that are %s", (verdict) => {
    expect(decide({ limits: limits(verdict) })).toEqual(["invalid", 3, "limits: the evidence does not suffice for a verdict"]);
  });

  it("does not pass a load that is not valid, or a gate with too few samples", () => {
    expect(decide({ load: { profiles: [profile([], false)], calibration: null } })).toEqual([
      "invalid",
      3,
      "load smoke is not valid: generator-limited",
    ]);
    const open = profile([{ verdict: "inconclusive", expression: "ttft.p99 < 1s", reason: "9 of 662 samples" }]);
    expect(decide({ load: { profiles: [open], calibration: null } })[2]).toBe("load smoke: ttft.p99 < 1s (9 of 662 samples)");
  });

  const loadOf = (...profiles: readonly LoadProfileResult[]): Partial<Judged> => ({ load: { profiles, calibration: null } });

  it("does not call gates met that a profile does not have", () => {
    expect(decide(loadOf(profile([])))).toEqual(["met", 0, "load measured, no gates"]);
    const gated = { ...profile([{ verdict: "pass" }]), id: "gated" };
    expect(decide(loadOf(profile([]), gated))).toEqual(["met", 0, "load gates met (no gates: smoke)"]);
    expect(decide(loadOf())).toEqual(["invalid", 3, "nothing was judged"]);
  });

  it("does not pass a gate that nothing was tested for", () => {
    const untested = profile([{ verdict: "untested", expression: "limits.violations == 0", reason: "not seen" }]);
    expect(decide(loadOf(untested))).toEqual(["invalid", 3, "load smoke: limits.violations == 0 (not seen)"]);
  });

  it("does not pass a search that found no rate, and tells what was tried", () => {
    const step = (asked: number, verdict: "fail" | "inconclusive"): LoadStep => ({
      asked,
      offered: asked,
      achieved: asked,
      goodput: 0,
      userLatencyP95: null,
      ttftP95: null,
      verdict,
      ...(verdict === "fail" ? {} : { reason: "7 requests are too few" }),
    });
    const search = { ...profile([]), steps: [step(1, "inconclusive"), step(6, "fail")] };
    expect(decide(loadOf(search))).toEqual([
      "invalid",
      3,
      "load smoke: no rate was found that holds the service level (1/s not judged, 6/s missed: 7 requests are too few)",
    ]);
    expect(decide(loadOf({ ...search, knee: { offered: 1, goodput: 1, reason: "r" } }))[1]).toBe(0);
  });

  it("counts findings by stage, without those of the baseline and without advisories", () => {
    const findings = [
      finding(),
      finding({ stage: "limits" }),
      finding({ stage: "load" }),
      finding({ stage: "limits" }),
      finding({ baselined: true }),
      finding({ verdict: "advisory" }),
    ];
    expect(decide({ findings })).toEqual(["findings", 1, "4 findings: 1 in conformance, 2 in limits, 1 in load gates"]);
    const passive = [finding({ stage: "load", check: "passive-validation" }), finding({ stage: "load", check: "ttft.p95" })];
    expect(decide({ findings: passive })[2]).toBe("2 findings: 1 in load gates, 1 in answers under load (passive validation)");
    expect(decide({ findings: [finding({ baselined: true })], conformance: conformance({ chat: "non-conformant" }) })).toEqual([
      "met",
      0,
      "not conformant in chat, by known failures of the baseline only",
    ]);
  });

  it("counts advisories when it is strict", () => {
    const judged = { findings: [finding({ verdict: "advisory" })], conformance: conformance({ chat: "conformant" }) };
    expect(decide(judged)[1]).toBe(0);
    expect(decide({ ...judged, strict: true })).toEqual(["findings", 1, "1 finding: 1 in conformance"]);
  });

  it("tells only that the target is dead when it is", () => {
    expect(decide({ invalidBecause: ["the target does not answer"], conformance: conformance({ chat: "incomplete" }) })).toEqual([
      "invalid",
      3,
      "the target does not answer",
    ]);
  });

  it("ranks a fault of ours above an interruption, that above findings, those above incompleteness", () => {
    const all: Partial<Judged> = {
      internalError: "x",
      interrupted: "SIGTERM",
      findings: [finding()],
      conformance: conformance({ chat: "incomplete" }),
    };
    expect(decide(all)).toEqual(["internal-error", 4, "assay itself failed: x"]);
    expect(decide({ ...all, internalError: null }).slice(0, 2)).toEqual(["interrupted", 143]);
    expect(decide({ ...all, internalError: null, interrupted: "SIGINT" }).slice(0, 2)).toEqual(["interrupted", 130]);
    expect(decide({ ...all, internalError: null, interrupted: null }).slice(0, 2)).toEqual(["findings", 1]);
    expect(decide({ ...all, internalError: null, interrupted: null, findings: [] }).slice(0, 2)).toEqual(["invalid", 3]);
  });

  it("does not depend on the order of findings, and 0 always means that no finding fails", () => {
    const arbitrary = fc.array(
      fc.record({
        stage: fc.constantFrom<Finding["stage"]>("conformance", "limits", "load", "baseline", "harness"),
        verdict: fc.constantFrom<Finding["verdict"]>("fail", "advisory"),
        baselined: fc.boolean(),
      }),
    );
    fc.assert(
      fc.property(arbitrary, fc.boolean(), (changes, strict) => {
        const judged = { strict, conformance: conformance({ chat: "conformant" }) };
        const findings = changes.map(finding);
        const decision = decide({ ...judged, findings });
        expect(decide({ ...judged, findings: findings.toReversed() })).toEqual(decision);
        const fails = changes.some((one) => !one.baselined && (one.verdict === "fail" || strict));
        expect(decision[1]).toBe(fails ? 1 : 0);
      }),
    );
  });
});
