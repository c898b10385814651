import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ConformanceResult, SuiteResult } from "../../../src/core/result/conformance-result.ts";
import type { Finding } from "../../../src/core/result/finding.ts";
import type { LimitPolicyResult, LimitsResult } from "../../../src/core/result/limits-result.ts";
import type { GateResult } from "../../../src/core/result/gate-result.ts";
import type { LoadProfileResult, LoadStep } from "../../../src/core/result/load-result.ts";
import type { ScopeResult } from "../../../src/core/result/scope-result.ts";
import { decideVerdict, type Judged } from "../../../src/run/verdict/decide-verdict.ts";
import { makeFinding } from "../../make/results/make-finding.ts";
import { makeJudged } from "../../make/exchanges/make-judged.ts";

const noCounts = { must: {}, implied: {}, should: {}, may: {}, unspecified: {} };

function conformance(verdicts: Readonly<Partial<Record<SuiteResult["id"], SuiteResult["verdict"]>>>): ConformanceResult {
  const suites = Object.entries(verdicts).map(([id, verdict]) => ({ id: id as SuiteResult["id"], verdict, counts: noCounts }));
  return { suites, requirements: [], matrix: [], leniency: [] };
}

function profile(gates: readonly Partial<GateResult>[], valid = true): LoadProfileResult {
  const validity = { valid, reasons: valid ? [] : ["generator-limited"] };
  return { id: "smoke", gates, validity, steps: [], knee: null } as unknown as LoadProfileResult;
}

const limits = (verdict: LimitsResult["verdict"], drivenBy: LimitPolicyResult["drivenBy"] = "exam"): LimitsResult => ({
  verdict,
  policies: [
    { id: "requests/primary", kind: "requests", verdict, summary: "s", drivenBy },
  ] as unknown as LimitsResult["policies"],
  spent: { requests: 0, minutes: 0, cents: 0 },
  notJudged: [],
});

function scope(changes: Partial<ScopeResult>): ScopeResult {
  const counts = { judged: 12, inScope: 12, outside: 0, notApplicable: 0, notSelected: 0 };
  return { ...counts, open: [], missing: [], waived: [], unmet: [], lost: [], yaml: null, ...changes };
}

function decide(changes: Partial<Judged>): readonly [string, number, string] {
  const { verdict, exitCode, reason } = decideVerdict(makeJudged(changes));
  return [verdict, exitCode, reason];
}

describe("decideVerdict", () => {
  it("never passes when nothing was judged", () => {
    expect(decide({})).toEqual(["invalid", 3, "nothing was judged"]);
  });

  it("passes only what was judged and met", () => {
    expect(decide({ conformance: conformance({ chat: "conformant" }), scope: scope({ judged: 33 }) })).toEqual([
      "passed",
      0,
      "conformant in scope (33 requirements of chat)",
    ]);
    expect(decide({ limits: limits("pass"), load: { profiles: [profile([{ verdict: "pass" }])], calibration: null } })).toEqual([
      "passed",
      0,
      "limits correct (1 of 1 policy), gates met",
    ]);
    expect(decide({ limits: limits("advisory") })).toEqual(["passed", 0, "limits advisory (0 of 1 policy)"]);
  });

  it("does not pass what is open in scope, required, expected, or was held back by the budget", () => {
    const judged = { conformance: conformance({ usage: "incomplete" }) };
    const open = [{ id: "USG-001", reason: "case usage/day: models was answered 503" }];
    expect(decide({ ...judged, scope: scope({ open }) })).toEqual([
      "incomplete",
      3,
      "1 requirement in scope inconclusive: USG-001 (case usage/day: models was answered 503)",
    ]);
    const unmet = [{ entry: "complete", requirements: ["A-1", "A-2", "A-3", "A-4", "A-5"] }];
    expect(decide({ ...judged, scope: scope({ unmet }) })).toEqual([
      "incomplete",
      3,
      "complete is required, and 5 requirements were not judged: A-1, A-2, A-3, A-4 ...",
    ]);
    expect(decide({ ...judged, scope: scope({}), lost: [{ id: "A-1", reason: "old.json judged it" }] })).toEqual([
      "incomplete",
      3,
      "this run judges less than the expected scope: A-1 (old.json judged it)",
    ]);
    expect(decide({ ...judged, scope: scope({}), unsent: "the budget held back 3 requests" })[1]).toBe(3);
  });

  it("leaves the exit code alone for what is outside the scope", () => {
    const judged = { conformance: conformance({ core: "conformant", faults: "untested", convention: "incomplete" }) };
    expect(decide({ ...judged, scope: scope({ outside: 62 }) }).slice(0, 2)).toEqual(["passed", 0]);
    const open: LimitsResult = { ...limits("inconclusive"), notJudged: [{ policy: "requests", reason: "not-permitted: off" }] };
    expect(decide({ ...judged, scope: scope({}), limits: open })[1]).toBe(0);
    expect(decide({ limits: open, scope: scope({ judged: 0 }) })[1]).toBe(0);
  });

  it("does not pass limits that are inconclusive, or none at all", () => {
    expect(decide({ limits: limits("inconclusive") })).toEqual([
      "incomplete",
      3,
      "limits requests/primary: the evidence does not suffice: s",
    ]);
    expect(decide({ limits: { ...limits("untested"), policies: [] } })).toEqual(["invalid", 3, "nothing was judged"]);
  });

  it("asks no verdict on a limit that no exam drove", () => {
    const touched = limits("inconclusive", "passing");
    expect(decide({ limits: touched })).toEqual(["invalid", 3, "nothing was judged"]);
    const rows = { conformance: conformance({ spend: "conformant" }), scope: scope({ judged: 1 }) };
    expect(decide({ ...rows, limits: touched }).slice(0, 2)).toEqual(["passed", 0]);
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
    expect(decide(loadOf(profile([])))).toEqual(["passed", 0, "load measured, no gates"]);
    const gated = { ...profile([{ verdict: "pass" }]), id: "gated" };
    expect(decide(loadOf(profile([]), gated))).toEqual(["passed", 0, "gates met (no gates: smoke)"]);
    expect(decide(loadOf())).toEqual(["invalid", 3, "nothing was judged"]);
  });

  it("does not pass a gate that nothing was tested for", () => {
    const untested = profile([{ verdict: "untested", expression: "limits.violations == 0", reason: "not seen" }]);
    expect(decide(loadOf(untested))).toEqual(["incomplete", 3, "load smoke: limits.violations == 0 (not seen)"]);
  });

  it("does not pass a search that found no rate, and says what was tried", () => {
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
      "incomplete",
      3,
      "load smoke: no rate was found that holds the service level (1/s inconclusive, 6/s missed: 7 requests are too few)",
    ]);
    expect(decide(loadOf({ ...search, knee: { offered: 1, goodput: 1, reason: "r" } }))[1]).toBe(0);
  });

  it("counts findings by stage, without those of the baseline and without advisories", () => {
    const findings = [
      makeFinding(),
      makeFinding({ stage: "limits" }),
      makeFinding({ stage: "load" }),
      makeFinding({ stage: "limits" }),
      makeFinding({ baselined: true }),
      makeFinding({ verdict: "advisory" }),
    ];
    expect(decide({ findings })).toEqual(["failed", 1, "4 failures: 1 in conformance, 2 in limits, 1 in load gates"]);
    const passive = [
      makeFinding({ stage: "load", check: "passive-validation" }),
      makeFinding({ stage: "load", check: "ttft.p95" }),
    ];
    expect(decide({ findings: passive })[2]).toBe("2 failures: 1 in load gates, 1 in answers under load (passive validation)");
    expect(
      decide({ findings: [makeFinding({ baselined: true })], conformance: conformance({ chat: "non-conformant" }) }),
    ).toEqual(["passed", 0, "not conformant in chat, by known failures of the baseline only"]);
  });

  it("counts advisories when it is strict", () => {
    const judged = { findings: [makeFinding({ verdict: "advisory" })], conformance: conformance({ chat: "conformant" }) };
    expect(decide(judged)[1]).toBe(0);
    expect(decide({ ...judged, strict: true })).toEqual(["failed", 1, "1 failure in conformance"]);
  });

  it("reports only that the target is dead when it is", () => {
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
      findings: [makeFinding()],
      conformance: conformance({ chat: "incomplete" }),
    };
    expect(decide(all)).toEqual(["internal-error", 4, "assay itself failed: x"]);
    expect(decide({ ...all, internalError: null }).slice(0, 2)).toEqual(["interrupted", 143]);
    expect(decide({ ...all, internalError: null, interrupted: "SIGINT" }).slice(0, 2)).toEqual(["interrupted", 130]);
    expect(decide({ ...all, internalError: null, interrupted: null }).slice(0, 2)).toEqual(["failed", 1]);
    expect(
      decide({
        ...all,
        internalError: null,
        interrupted: null,
        findings: [],
        scope: scope({ open: [{ id: "A", reason: "r" }] }),
      }).slice(0, 2),
    ).toEqual(["incomplete", 3]);
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
        const findings = changes.map((one) => makeFinding(one));
        const decision = decide({ ...judged, findings });
        expect(decide({ ...judged, findings: findings.toReversed() })).toEqual(decision);
        const fails = changes.some((one) => !one.baselined && (one.verdict === "fail" || strict));
        expect(decision[1]).toBe(fails ? 1 : 0);
      }),
    );
  });
});
