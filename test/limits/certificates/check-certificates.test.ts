import { describe, expect, it } from "vitest";
import type { LimitCertificate } from "../../../src/core/result/limits-result.ts";
import type { Check } from "../../../src/limits/verdict/check.ts";
import type { GroupView } from "../../../src/limits/history/group-view.ts";
import { type LimitOp, type QuotaReading, viewOp } from "../../../src/limits/history/op.ts";
import { verifyCertificate, verifyChecks } from "../../../src/limits/certificates/verify-certificate.ts";
import { makeLimitOp as op, type OpDraft } from "../../make/exchanges/make-limit-op.ts";

const windowMs = 60_000;
const refused: OpDraft = { status: 429, outcome: "rejected" };

function certify<Kind extends string>(
  kind: Kind,
  ops: readonly LimitOp[],
  parameters: LimitCertificate["parameters"] = {},
): LimitCertificate & { readonly kind: Kind } {
  return { kind, rule: "r", spec: "s", ops: ops.map(viewOp), parameters, lawfulAlternative: "l" };
}

const weighs = "the window that ended there may still have weighed on the next";
const ofPairs = ["the later request was not rejected", "another request came in between", "the promise was not due yet"];

/** Every reason that there is to doubt a certificate of some kind. */
const doubts: Readonly<Record<string, readonly string[]>> = {
  "over-admission": ["too few admitted requests in the span"],
  "over-window": ["not one window, or too few"],
  "under-admission": ["other requests may have used the allowance"],
  "under-admission-at-pace": [
    "the allowance of a window may have been used up",
    "requests shortly before it may have emptied a small bucket",
  ],
  "not-restored": ["something may have used the allowance, or it is all there"],
  "limit-flaps": ["one change of the limit explains it"],
  claim: ["the promise may have been used up"],
  "phantom-drop": ["enough requests to explain the drop"],
  "reset-broken": [...ofPairs, weighs],
  "retry-short": ofPairs,
  "reset-past": ["the label is not in the past"],
  "reset-far": ["the label is within a day"],
  "reset-format": ["the label is in Unix seconds"],
  "retry-form": ["the wait is usable"],
  "retry-agree": ["the waits agree"],
  "limit-declared": ["the limit is the declared one"],
  "remaining-range": ["the header is in order"],
  "early-renewal": ["a refill or the stated reset explains the rise"],
  "retry-unit": ["the wait may be in seconds"],
  bypass: ["a refill explains the admissions"],
  isolation: ["own requests explain the drop"],
};

/** Whether a certificate that cites `cited` holds in a history that has `others` as well; it says why where it does not. */
function holds(
  kind: string,
  cited: readonly LimitOp[],
  parameters: LimitCertificate["parameters"] = {},
  others: readonly LimitOp[] = [],
): boolean {
  const doubt = verifyCertificate(certify(kind, cited, parameters), [...others, ...cited], windowMs);
  if (doubt !== null) expect(doubts[kind]).toContain(doubt);
  return doubt === null;
}

describe("a certificate", () => {
  it("says why it is doubted", () => {
    const first = op(1, 0, 10);
    expect(verifyCertificate(certify("claim", [first]), [], windowMs)).toBe("it cites a request that is not in the history");
    expect(verifyCertificate(certify("else", [first]), [first], windowMs)).toBe("no rule to verify else");
    expect(verifyCertificate(certify("limit-declared", [first], { declared: 0 }), [first], windowMs)).toBeNull();
  });

  it("of over-admission counts what a limiter of fixed windows may admit in the span", () => {
    const span = (lastMs: number, more: OpDraft = {}): readonly LimitOp[] => [
      op(2, 520, 530),
      op(1, 500, 510),
      op(3, 60_480, lastMs, more),
    ];
    expect(holds("over-admission", span(60_500), { limit: 1 })).toBe(true);
    expect(holds("over-admission", span(60_501), { limit: 1 })).toBe(false);
    expect(holds("over-admission", span(60_500, refused), { limit: 1 })).toBe(false);
    expect(holds("over-admission", span(60_500).slice(0, 2), { limit: 1 })).toBe(false);
  });

  it("of over-admission in a window wants one label", () => {
    const named = (...resets: readonly number[]): readonly LimitOp[] =>
      resets.map((resetMs, index) => op(index + 1, index, index, { resetMs }));
    expect(holds("over-window", named(5, 5, 5), { limit: 1, renewal: 1 })).toBe(true);
    expect(holds("over-window", named(5, 5), { limit: 1, renewal: 1 })).toBe(false);
    expect(holds("over-window", named(5, 5, 6), { limit: 1, renewal: 1 })).toBe(false);
    expect(holds("over-window", [...named(5, 5), op(3, 9, 9, { ...refused, resetMs: 5 })], { limit: 1, renewal: 1 })).toBe(false);
  });

  it("of under-admission wants a lone request", () => {
    const lone = op(9, 200_000, 200_010, refused);
    const beside = (sentMs: number, headersMs: number): boolean =>
      holds("under-admission", [lone], {}, [op(1, sentMs, headersMs)]);
    expect(holds("under-admission", [lone])).toBe(true);
    expect(holds("under-admission", [op(9, 200_000, 200_010)])).toBe(false);
    expect([beside(79_000, 79_999), beside(79_000, 80_000)]).toEqual([true, false]);
    expect([beside(200_011, 200_020), beside(200_010, 200_020)]).toEqual([true, false]);
  });

  it("of under-admission at a pace wants room in every bucket", () => {
    const lone = op(9, 200_000, 200_010, refused);
    const after = (limit: number, ...gapsMs: readonly number[]): boolean =>
      holds(
        "under-admission-at-pace",
        [lone],
        { limit },
        gapsMs.map((gapMs, index) => op(index + 1, 199_990 - gapMs, 200_000 - gapMs)),
      );
    expect([after(60), after(1), after(0)]).toEqual([true, true, false]);
    expect(holds("under-admission-at-pace", [op(9, 200_000, 200_010)], { limit: 60 })).toBe(false);
    expect([after(1, 120_001), after(1, 120_000)]).toEqual([true, false]);
    expect([after(60, 2000), after(60, 1999)]).toEqual([true, false]);
    expect([after(60, 3500, 2500), after(60, 3000, 2500), after(60, 2999, 2500)]).toEqual([true, true, false]);
    expect([after(3, 32_000), after(3, 31_999)]).toEqual([true, false]);
    const beside = (sentMs: number): boolean => holds("under-admission-at-pace", [lone], { limit: 60 }, [op(1, sentMs, 200_020)]);
    expect([beside(200_011), beside(200_010)]).toEqual([true, false]);
  });

  it("of an allowance that was not restored wants silence for two windows", () => {
    const pair = (before: number | null, after: number | null, limit = 60): readonly LimitOp[] => [
      op(1, 0, 10, { remaining: before, limit: 60 }),
      op(2, 200_000, 200_010, { remaining: after, limit }),
    ];
    const reported = (cited: readonly LimitOp[], ...others: readonly LimitOp[]): boolean =>
      holds("not-restored", cited, {}, others);
    expect([reported(pair(50, 47)), reported(pair(50, 48)), reported(pair(50, 47, 30))]).toEqual([true, false, false]);
    expect([reported(pair(null, 47)), reported(pair(50, null))]).toEqual([false, false]);
    expect(reported([op(1, 300_000, 300_010, { remaining: 50, limit: 60 }), pair(50, 47)[1]!])).toBe(false);
    const beside = (sentMs: number, headersMs: number): boolean => reported(pair(50, 47), op(3, sentMs, headersMs));
    expect([beside(79_000, 79_999), beside(79_000, 80_000)]).toEqual([true, false]);
    expect([beside(200_011, 200_020), beside(200_010, 200_020)]).toEqual([true, false]);
    expect(reported([op(1, 79_000, 80_000, { remaining: 50, limit: 60 }), pair(50, 47)[1]!])).toBe(false);
  });

  it("of a limit that flaps wants three changes that no rollout explains", () => {
    const flaps = (limits: readonly number[], stepMs: number): boolean =>
      holds(
        "limit-flaps",
        limits.map((limit, index) => op(index + 1, index * (stepMs + 10), index * (stepMs + 10) + 10, { limit })),
        { rolloutMs: 50 },
      );
    expect([flaps([60, 30, 60, 30], 50), flaps([60, 30, 60, 30], 49)]).toEqual([true, false]);
    expect([flaps([60, 30, 60], 50), flaps([60, 30, 30, 60], 50), flaps([60, 30, 60, 30, 60], 50)]).toEqual([false, false, true]);
  });

  it("of a broken promise counts all that may have used it up", () => {
    const claim = (
      { promised = 1, rounding = 0, remaining = 1 as number | null, sentMs = 100, later = refused },
      ...others: readonly LimitOp[]
    ): boolean => holds("claim", [op(1, 0, 10, { remaining }), op(2, sentMs, 200, later)], { promised, rounding }, others);
    const [one, two] = [op(3, 50, 60), op(4, 50, 60)];
    expect([claim({}), claim({}, one), claim({}, one, two)]).toEqual([true, true, false]);
    expect([claim({ promised: 2, remaining: 2, rounding: 1 }, one, two), claim({ promised: 2, remaining: 2 }, one, two)]).toEqual(
      [false, true],
    );
    expect([claim({ promised: 2 }), claim({ remaining: null }), claim({ promised: 0, remaining: null })]).toEqual([
      false,
      false,
      true,
    ]);
    expect([claim({ sentMs: 11 }), claim({ sentMs: 10 }), claim({ later: {} })]).toEqual([true, false, false]);
  });

  const exact = { fuzzMs: 0, apartMs: 0, rounding: 1 };

  it.each(["phantom-drop", "isolation"])("of a drop (%s) counts what lies between, and allows for two more", (kind) => {
    const drop = (from: number | null, to: number | null, ...others: readonly LimitOp[]): boolean =>
      holds(kind, [op(1, 100, 110, { remaining: from }), op(2, 200, 210, { remaining: to })], exact, others);
    expect([drop(10, 7), drop(10, 8), drop(null, 7), drop(3, null), drop(2, null)]).toEqual([true, false, false, true, false]);
    expect([drop(10, 7, op(3, 50, 100)), drop(10, 7, op(3, 50, 99))]).toEqual([false, true]);
    expect([drop(10, 7, op(3, 210, 300)), drop(10, 7, op(3, 211, 300))]).toEqual([false, true]);
    expect([drop(10, 6, op(3, 50, 100)), drop(10, 6, op(3, 50, 100), op(4, 150, 160))]).toEqual([true, false]);
  });

  it("of a drop wants one answer before the next request; of a leak between keys one key", () => {
    const pair = (sentMs: number, key: string): readonly LimitOp[] => [
      op(1, 0, 10, { remaining: 10 }),
      op(2, sentMs, 20, { remaining: 5, key }),
    ];
    const drop = (sentMs: number): boolean => holds("phantom-drop", pair(sentMs, "primary"), exact);
    expect([drop(11), drop(10)]).toEqual([true, false]);
    expect([holds("isolation", pair(10, "primary")), holds("isolation", pair(10, "secondary"))]).toEqual([true, false]);
  });

  it("of a drop between instances grants what their clocks differ by, and what rounding hides", () => {
    const drop = (
      { to = 7, sentMs = 200, fuzzMs = 40, rounding = 1 }: Partial<Record<"to" | "sentMs" | "fuzzMs" | "rounding", number>>,
      ...others: readonly LimitOp[]
    ): boolean => {
      const cited = [op(1, 100, 110, { remaining: 10 }), op(2, sentMs, 210, { remaining: to })];
      return holds("phantom-drop", cited, { fuzzMs, apartMs: fuzzMs, rounding }, others);
    };
    expect([drop({}), drop({ sentMs: 151 }), drop({ sentMs: 150 })]).toEqual([true, true, false]);
    expect([drop({}, op(3, 10, 59)), drop({}, op(3, 10, 60)), drop({ fuzzMs: 39 }, op(3, 10, 60))]).toEqual([true, false, true]);
    expect([drop({}, op(3, 251, 300)), drop({}, op(3, 250, 300))]).toEqual([true, false]);
    expect([drop({ to: 6 }, op(3, 250, 300)), drop({ to: 6 }, op(3, 10, 60), op(4, 250, 300))]).toEqual([true, false]);
    expect([drop({ to: 5, rounding: 2 }), drop({ to: 6, rounding: 2 }), drop({ to: 3, rounding: 3 })]).toEqual([
      true,
      false,
      true,
    ]);
    expect(drop({ to: 4, rounding: 3 })).toBe(false);
  });

  it("of a drop under one label or a later one grants only the refill that clocks may hide", () => {
    const drop = (to: number, resetMs: number): boolean => {
      const cited = [op(1, 100, 110, { remaining: 10, resetMs: 60_000 }), op(2, 200, 210, { remaining: to, resetMs })];
      return holds("phantom-drop", cited, { fuzzMs: 40, apartMs: 0, rounding: 1, limit: 600 });
    };
    expect([drop(6, 60_000), drop(7, 60_000)]).toEqual([true, false]);
    expect([drop(0, 59_000), drop(6, 61_000)]).toEqual([false, true]);
  });

  const clock = { offsetLowMs: 1000, offsetHighMs: 1100, granularityMs: 1000 };

  it("of a reset wants it to be past for sure, and to have lain ahead", () => {
    const broken = (sentMs: number, resetMs: number, later: OpDraft = refused, ...others: readonly LimitOp[]): boolean =>
      holds("reset-broken", [op(1, 0, 10, { resetMs }), op(2, sentMs, sentMs + 10, later)], { ...clock, limit: 60 }, others);
    expect([broken(50_001, 50_000), broken(50_000, 50_000)]).toEqual([true, false]);
    expect([broken(50_001, 2111), broken(50_001, 2110)]).toEqual([true, false]);
    expect([broken(50_001, 50_000, {}), broken(50_001, 50_000, refused, op(3, 20, 30))]).toEqual([false, false]);
    const past = (sentMs: number): boolean => holds("reset-past", [op(1, sentMs, sentMs + 10, { resetMs: 50_000 })], clock);
    expect([past(50_001), past(50_000)]).toEqual([true, false]);
    const far = (resetMs: number): boolean => holds("reset-far", [op(1, 0, 10, { resetMs })], clock);
    expect([far(86_401_111), far(86_401_110)]).toEqual([true, false]);
    const format = (resetFormat: QuotaReading["resetFormat"]): boolean => {
      const one = op(1, 0, 10);
      return holds("reset-format", [{ ...one, requests: { ...one.requests, resetFormat } }]);
    };
    expect([format("iso-8601" as QuotaReading["resetFormat"]), format("unix-seconds")]).toEqual([true, false]);
  });

  it("of a reset wants a window that a sliding counter has forgotten enough of", () => {
    const after = (sentMs: number, limit: number, ...others: readonly LimitOp[]): string | null => {
      const cited = [op(1, 9000, 9010, { resetMs: 50_000 }), op(2, sentMs, sentMs + 10, refused)];
      const certificate = certify("reset-broken", cited, { ...clock, limit });
      return verifyCertificate(certificate, [...others, ...cited], windowMs);
    };
    // Half a window after the end, by a label that may be rounded by a second, half of what was counted still weighs.
    const halfMs = 50_000 + 30_000;
    const counted = (count: number, sentMs = 5000, headersMs = 5010): readonly LimitOp[] =>
      Array.from({ length: count }, (_, index) => op(index + 3, sentMs, headersMs));
    expect([after(halfMs, 3, ...counted(3)), after(halfMs - 1, 3, ...counted(3)), after(halfMs, 3, ...counted(4))]).toEqual([
      null,
      weighs,
      weighs,
    ]);
    expect([after(halfMs, 2, ...counted(1)), after(halfMs, 2, ...counted(2))]).toEqual([null, weighs]);
    // A minute before the label, by the latest clock and a second of rounding, that window had not begun.
    const early = 50_000 - 60_000 - 1000 - 1100;
    expect([after(halfMs, 2, ...counted(2, early - 10, early - 1)), after(halfMs, 2, ...counted(2, early - 10, early))]).toEqual([
      null,
      weighs,
    ]);
    expect(after(halfMs, 2, ...counted(2, 90_000, 90_010))).toBeNull();
    expect([after(50_001, 2), after(50_001, 1), after(110_000, 1)]).toEqual([null, weighs, null]);
    expect(after(50_000, 1)).toBe("the promise was not due yet");
    expect(after(halfMs, 2, op(3, 9000, 9010), op(4, 5000, 5010))).toBe("another request came in between");
  });

  it("of a wait wants it to be over, unusable, contradictory or in another unit", () => {
    const short = (sentMs: number, retry: OpDraft["retry"], later: OpDraft = refused, ...others: readonly LimitOp[]): boolean =>
      holds("retry-short", [op(1, 0, 10, { retry: retry ?? null }), op(2, sentMs, sentMs + 10, later)], {}, others);
    const five = { seconds: 5, header: { raw: "5", format: "delay-seconds", waitMs: 5000 } } as const;
    expect([short(5010, five), short(5009, five), short(5010, null)]).toEqual([true, false, false]);
    expect([short(5010, five, {}), short(5010, five, refused, op(3, 20, 30))]).toEqual([false, false]);
    const problem = { hint: "Retry-After", kind: "empty", raw: "" } as const;
    const form = (retry: OpDraft["retry"], status = 429): boolean =>
      holds("retry-form", [op(1, 0, 10, { status, retry: retry ?? null })]);
    expect([form({ seconds: null }), form({ ...five, problems: [problem] }), form(null)]).toEqual([true, true, true]);
    expect([form(five), form({ seconds: null }, 503)]).toEqual([false, false]);
    const wait = (waitMs: number): { readonly raw: number; readonly waitMs: number } => ({ raw: waitMs, waitMs });
    const agree = (header: number | null, seconds: number | null, ms: number | null): boolean =>
      holds("retry-agree", [
        op(1, 0, 10, {
          retry: {
            header: header === null ? null : { raw: "", format: "delay-seconds", waitMs: header },
            bodySeconds: seconds === null ? null : wait(seconds),
            bodyMs: ms === null ? null : wait(ms),
          },
        }),
      ]);
    expect([agree(1000, 2001, null), agree(1000, 2000, null), agree(2001, 1000, null)]).toEqual([true, false, true]);
    expect([agree(1000, null, 2001), agree(null, 1000, 2001), agree(1000, null, null)]).toEqual([true, true, false]);
    expect([agree(1000, 1000, 2001), agree(null, null, null)]).toEqual([true, false]);
    expect(holds("retry-agree", [op(1, 0, 10)])).toBe(false);
    const unit = (seconds: number, leftMs: number): boolean =>
      holds("retry-unit", [op(1, 0, 10, { retry: { seconds } })], { leftMs });
    expect([unit(601, 2601), unit(601, 2602), unit(600, 600)]).toEqual([true, false, false]);
    expect([unit(3000, 1000), unit(3000, 999)]).toEqual([true, false]);
    expect(holds("retry-unit", [op(1, 0, 10)], { leftMs: 0 })).toBe(false);
  });

  it("of a wrong field finds it in the answer", () => {
    const declared = (limit: number): boolean => holds("limit-declared", [op(1, 0, 10, { limit })], { declared: 60 });
    expect([declared(30), declared(60)]).toEqual([true, false]);
    const problem = { header: "h", unit: "requests", member: "remaining", kind: "negative", raw: "-1" } as const;
    const range = (header: string): boolean =>
      holds("remaining-range", [op(1, 0, 10, { headerProblems: [{ ...problem, header: "g" }, problem] })], { header });
    expect([range("h"), range("i")]).toEqual([true, false]);
  });

  it("of an early renewal allows for a refill and for the stated reset", () => {
    const rise = (to: number | null, resetMs: number | null = 4101, sentMs = 2980, from: number | null = 0): boolean =>
      holds("early-renewal", [op(1, 0, 10, { remaining: from, resetMs }), op(2, sentMs, 3000, { remaining: to })], {
        ...clock,
        limit: 60,
      });
    expect([rise(16), rise(15), rise(16, 4100), rise(16, null), rise(null)]).toEqual([true, false, false, false, false]);
    expect([rise(16, 4101, 11), rise(16, 4101, 10), rise(16, 4101, 2980, null)]).toEqual([true, false, true]);
    expect([rise(17, 4101, 2980, 1), rise(16, 4101, 2980, 1)]).toEqual([true, false]);
    const later = (shiftMs: number): boolean =>
      holds(
        "early-renewal",
        [op(1, shiftMs, shiftMs + 10, { remaining: 0, resetMs: 90_000 }), op(2, 2980, 3000, { remaining: 16 })],
        { ...clock, limit: 60 },
      );
    expect([later(0), later(-1000)]).toEqual([true, false]);
  });

  it("of a bypass wants more admissions between two readings than a refill gives", () => {
    const bypass = (inner: readonly LimitOp[], lastMs = 1000): boolean =>
      holds("bypass", [op(1, 0, 10), ...inner, op(9, 900, lastMs)], { limit: 60, windowMs });
    const late = [op(1, 600, 610), op(2, 620, 630), op(3, 620, 630), op(4, 640, 700)];
    expect(holds("bypass", late, { limit: 60, windowMs })).toBe(true);
    const inner = (count: number, changed: (one: LimitOp) => LimitOp = (one) => one): readonly LimitOp[] =>
      Array.from({ length: count }, (_, index) => changed(op(index + 2, 11, 899)));
    expect([bypass(inner(3)), bypass(inner(2)), bypass(inner(3), 2000)]).toEqual([true, false, false]);
    expect(bypass(inner(3, (one) => ({ ...one, outcome: one.seq === 2 ? "other" : "admitted" })))).toBe(false);
    expect(bypass(inner(3, (one) => ({ ...one, sentMs: 9 })))).toBe(false);
    expect(bypass(inner(3, (one) => ({ ...one, headersMs: 901 })))).toBe(false);
  });
});

describe("a certificate of lost updates", () => {
  const label = 5000;
  const reading = op(1, 0, 10, { remaining: 10, resetMs: label });
  const member = (seq: number, remaining: number, draft: OpDraft = {}): LimitOp =>
    op(seq, 20, 30, { remaining, resetMs: label, ...draft });
  const members = [member(2, 9), member(3, 9), member(4, 8)];
  const reported = (
    { ops = members, first = reading, renewal = 0, last = null as LimitOp | null, named = "2 3 4" },
    cited: number | null = null,
  ): string | null => {
    const parameters = { limit: 60, first: first.seq, last: cited ?? last?.seq ?? null, members: named, renewal };
    const history = [first, ...ops, ...(last === null ? [] : [last])];
    return verifyCertificate(certify("lost-update", [], parameters), history, windowMs);
  };
  const enough = "remaining fell by enough";
  const early = "a member may have come before the first reading";
  const foreign = "the requests name different windows";
  const absent = "a member was not admitted";

  it("wants more members than the reading fell by", () => {
    expect([reported({}), reported({ renewal: 1 })]).toEqual([null, enough]);
    expect(reported({ ops: [member(2, 9), member(3, 9), member(4, 7)] })).toBe(enough);
  });

  it("takes the last reading for a bound where it is surely later", () => {
    const last = (sentMs: number, remaining: number): LimitOp => op(5, sentMs, sentMs + 5, { remaining, resetMs: label });
    expect([reported({ renewal: 1, last: last(31, 9) }), reported({ renewal: 1, last: last(30, 9) })]).toEqual([null, enough]);
    expect(reported({ last: last(31, 0) })).toBeNull();
  });

  it("wants members that were admitted, in one window, after the first reading", () => {
    expect(reported({ ops: [...members.slice(0, 2), member(4, 8, refused)] })).toBe(absent);
    expect(reported({ named: "2 3 4 7" })).toBe(absent);
    expect(verifyCertificate(certify("lost-update", [], { limit: 60, first: 7, members: "2" }), members, windowMs)).toBe(absent);
    expect(reported({ ops: [...members.slice(0, 2), member(4, 8, { resetMs: 6000 })] })).toBe(foreign);
    expect(reported({ first: { ...reading, requests: { ...reading.requests, resetMs: 6000 } } })).toBe(foreign);
    expect(reported({ ops: [...members.slice(0, 2), { ...member(4, 8), sentMs: 10 }] })).toBe(early);
    expect(reported({ ops: [...members.slice(0, 2), { ...member(4, 8), sentMs: 11 }] })).toBeNull();
  });
});

describe("verifyChecks", () => {
  const lone = op(1, 0, 10, refused);
  const view = { ops: [], disguised: [lone], tolerances: { windowMs } } as unknown as GroupView;
  const check = (more: Partial<Check> = {}): Check => ({
    id: "limits.over-admission",
    title: "t",
    requirements: ["RATE-001"],
    tier: "violation",
    verdict: "fail",
    message: "m",
    considered: 1,
    needed: 1,
    certificate: certify("under-admission", [lone]),
    exchanges: [1],
    expected: "e",
    observed: "o",
    ...more,
  });

  it("leaves what verifies, and what accuses of nothing, as it is", () => {
    const checks = [
      check(),
      check({ certificate: null }),
      check({ tier: "inconclusive", certificate: certify("queue-lost", [lone]) }),
    ];
    expect(verifyChecks(checks, view)).toEqual(checks);
  });

  it("withdraws an accusation whose certificate does not verify", () => {
    const certificate = certify("queue-lost", [lone]);
    expect(verifyChecks([check({ certificate })], view)).toEqual([
      check({
        tier: "inconclusive",
        verdict: "inconclusive",
        message: "the certificate did not verify: no rule to verify queue-lost",
        withheld: true,
        certificate: null,
      }),
    ]);
  });
});
