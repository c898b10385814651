import { describe, expect, it } from "vitest";
import { manifestFor } from "../../make/load/load-target.ts";
import { checkAllowance } from "../../../src/limits/burst/burst-checks.ts";
import type { BurstView } from "../../../src/limits/burst/burst-view.ts";
import { checkChangeKeepsWindow } from "../../../src/limits/burst/check-change-keeps-window.ts";
import { verifyPolicyChecks } from "../../../src/limits/certificates/verify-policy-certificate.ts";
import type { LimitOp } from "../../../src/limits/history/op.ts";
import { defaultTolerances } from "../../../src/limits/history/tolerances.ts";
import { judgeProbe } from "../../../src/limits/traffic/judge-probe.ts";
import type { Certificate } from "../../../src/limits/verdict/certificate-kind.ts";
import type { Check } from "../../../src/limits/verdict/check.ts";
import { makeLimitOp, type OpDraft } from "../../make/exchanges/make-limit-op.ts";

const refused: OpDraft = { status: 429, outcome: "rejected", cause: "burst" };
const op = (seq: number, sentMs: number, draft: OpDraft = {}): LimitOp =>
  makeLimitOp(seq, sentMs, sentMs + 10, { policy: "burst", phase: "below-1", ...draft });

/** Why the second program does not accept the accusation in this history; null: it does. */
function doubtOf(check: Check, ops: readonly LimitOp[], falsified: Partial<Certificate> = {}): string | null {
  const certificate = { ...check.certificate!, ...falsified };
  const [verified] = verifyPolicyChecks([{ ...check, certificate }], ops);
  return verified?.verdict === "fail" ? null : (verified?.message.replace("the certificate did not verify: ", "") ?? "");
}

const parametersOf = ({ certificate }: Check, changed: Certificate["parameters"]): Partial<Certificate> => ({
  parameters: { ...certificate!.parameters, ...changed },
});

/** Every parameter that a rule reads, taken away: no certificate holds without it. */
function expectEachNeeded(check: Check, ops: readonly LimitOp[], names: readonly string[]): void {
  for (const name of names) {
    const { [name]: _left, ...parameters } = check.certificate!.parameters;
    expect(doubtOf(check, ops, { parameters })).toBe(`it states no number for ${name}`);
  }
}

const enough = "enough requests to use up the allowance";

describe("a certificate of a refusal below the burst allowance", () => {
  const view = (ops: readonly LimitOp[]): BurstView =>
    ({
      burst: 3,
      cooldownMs: 30_000,
      ops,
      rounds: [],
      below: ops,
      exclusive: true,
      tolerances: defaultTolerances,
      isStall: () => false,
    }) as unknown as BurstView;
  const lone = op(9, 200_000, refused);
  const check = checkAllowance(view([op(1, 0), op(2, 150_000), lone]));

  it("holds where the allowance was not used up in a minute and a cooldown", () => {
    expect(check.verdict).toBe("fail");
    expect(doubtOf(check, [op(1, 0), op(2, 150_000), lone])).toBeNull();
    expectEachNeeded(check, [lone], ["burst", "windowMs", "cooldownMs", "granularityMs", "sinceMs", "reachMs"]);
  });

  it("is refused where it hides requests, or a shorter span stands in it", () => {
    const many = [1, 2, 3].map((seq) => op(seq, 150_000 + seq));
    expect(doubtOf(check, [...many, lone])).toBe(enough);
    const late = parametersOf(check, { sinceMs: 199_000 });
    expect(doubtOf(check, [...many, lone], late)).toBe("the span is shorter than a minute and a cooldown");
    expect(doubtOf(check, [lone], parametersOf(check, { reachMs: 100_000 }))).toBe(
      "the span is shorter than a minute and a cooldown",
    );
    expect(doubtOf(check, [op(1, 0, { headersMs: 0 } as OpDraft), lone])).toBeNull();
  });

  it("is refused where the request was served at once, or another limit refused it", () => {
    const served = "it was served at once, or another limit refused it";
    for (const draft of [
      {},
      { ...refused, cause: "requests" },
      { ...refused, cause: "tokens" },
      { status: 500, outcome: "maybe" },
    ] as const)
      expect(doubtOf(check, [op(9, 200_000, draft)])).toBe(served);
    const held = makeLimitOp(9, 200_000, 216_000, { policy: "burst" });
    const ofHeld = checkAllowance(view([held]));
    expect(doubtOf(ofHeld, [held])).toBeNull();
    expect(doubtOf(ofHeld, [{ ...held, headersMs: 215_000 }])).toBe(served);
    expect(doubtOf(ofHeld, [held, op(1, 202_000), op(2, 202_500), op(3, 203_000)])).toBe(enough);
  });
});

describe("a certificate of a refusal of a probe", () => {
  const probe = (seq: number, sentMs: number, draft: OpDraft = {}): LimitOp =>
    op(seq, sentMs, { policy: "", phase: "load", ...draft });
  const base = manifestFor("http://127.0.0.1:9", {});
  const keys = { probed: { burst_limit: 60, cooldown_seconds: 5, monthly_spend_cap: null } };
  const manifest = { ...base, exclusive: true, restore: { ...base.restore, keys } };
  const ops = Array.from({ length: 150 }, (_, index) => probe(index + 1, 2000 * index, index === 100 ? refused : {}));
  const judge = (of: readonly LimitOp[]): Check =>
    judgeProbe({ key: "probed", ops: of, ofBurst: new Set([101]), manifest }).find(({ kind }) => kind === "burst")!.checks[0]!;
  const check = judge(ops);
  const [, last] = [check.certificate!.ops[0]!, check.certificate!.ops.at(-1)!];

  it("cites the request that was served before, and holds", () => {
    expect([check.verdict, check.certificate?.kind]).toEqual(["fail", "burst-under-probe"]);
    expect(check.certificate?.ops.map(({ seq }) => seq)).toEqual([100, 101]);
    expect(doubtOf(check, ops)).toBeNull();
    expectEachNeeded(check, ops, ["burst", "windowMs", "cooldownMs", "granularityMs"]);
  });

  it("is refused without a request that was served before, unless the key was silent", () => {
    const prolonged = "attempts may have prolonged a cooldown";
    expect(doubtOf(check, ops, { ops: [last] })).toBe(prolonged);
    const attempts = ops.map((one) => (one.seq > 90 && one.seq < 101 ? ({ ...one, ...refused } as LimitOp) : one));
    expect(doubtOf(check, attempts)).toBe(prolonged);
    const silent = ops.filter(({ seq }) => seq <= 90 || seq === 101);
    expect(doubtOf(check, silent, { ops: [last] })).toBeNull();
  });

  it("is refused where attempts, too, use up the allowance, or the history begins later", () => {
    const more = Array.from({ length: 30 }, (_, index) => probe(1000 + index, 150_000 + index, refused));
    expect(doubtOf(check, [...ops, ...more])).toBe(enough);
    const late = "requests from before the history may have used the allowance";
    expect(
      doubtOf(
        check,
        ops.filter(({ sentMs }) => sentMs > 150_000),
      ),
    ).toBe(late);
  });

  it("is refused where the burst limit did not refuse", () => {
    for (const draft of [{}, { ...refused, cause: "tokens" }, { ...refused, cause: "spend" }] as const) {
      const other = ops.map((one) => (one.seq === 101 ? probe(101, one.sentMs, draft) : one));
      expect(doubtOf(check, other)).toBe("the burst limit did not refuse it");
    }
  });
});

describe("a certificate of a change that empties the window", () => {
  const label = { limit: 60, resetMs: 60_000 };
  const row = (from: number, seq: number, sentMs: number): readonly LimitOp[] =>
    Array.from({ length: 10 }, (_, index) =>
      op(seq + index, sentMs + 100 * index, { ...label, phase: "window-used", remaining: from - index }),
    );
  const reading = (seq: number, sentMs: number, remaining: number, draft: OpDraft = {}): LimitOp =>
    op(seq, sentMs, { ...label, phase: "window-read", remaining, ...draft });
  const change = (seq: number, sentMs: number): BurstView["change"] => ({
    seq,
    subject: "key:primary",
    sentMs,
    answeredMs: sentMs + 50,
    settings: { cooldown_seconds: seq },
  });
  const ops = [...row(50, 1, 0), reading(11, 2000, 59), ...row(58, 21, 3000), reading(31, 5000, 59)];
  const changes = [change(90, 1500), change(91, 4500)];
  const [check] = checkChangeKeepsWindow({ ops, changes, tolerances: defaultTolerances } as unknown as BurstView);
  const changed = (seq: number, draft: Partial<LimitOp>): readonly LimitOp[] =>
    ops.map((one) => (one.seq === seq ? { ...one, ...draft } : one));
  const withRemaining = (seq: number, remaining: number | null): readonly LimitOp[] =>
    ops.map((one) => (one.seq === seq ? { ...one, requests: { ...one.requests, remaining } } : one));

  it("cites both changes, and holds", () => {
    expect([check?.verdict, check?.certificate?.ops.length]).toEqual(["fail", 22]);
    expect(doubtOf(check!, ops)).toBeNull();
    const names = ["windowMs", "firstRead"];
    const instants = ["first", "second"].flatMap((which) => [`${which}ChangeSentMs`, `${which}ChangeAnsweredMs`]);
    expectEachNeeded(check!, ops, [...names, ...instants]);
  });

  it("is refused with one change only", () => {
    const views = check!.certificate!.ops;
    const twice = "it takes two changes in a row to show that a change emptied the window";
    expect(doubtOf(check!, ops, { ops: views.slice(11) })).toBe(twice);
    expect(doubtOf(check!, ops, { ops: views.slice(0, 11) })).toBe(twice);
    expect(doubtOf(check!, ops, { ops: [...views.slice(0, 11), ...views.slice(16)] })).toBe(
      "too few requests came before a change",
    );
  });

  it("is refused where a reading came before its change was confirmed", () => {
    const without = "no change of settings came between them and the reading";
    for (const falsified of [{ firstChangeAnsweredMs: 2001 }, { secondChangeSentMs: 3000 }, { secondChangeSentMs: 4600 }])
      expect(doubtOf(check!, ops, parametersOf(check!, falsified))).toBe(without);
  });

  it("is refused where another window, a refill or a cache explains the rise", () => {
    const window = "another window may have begun";
    const { requests } = ops[0]!;
    expect(doubtOf(check!, changed(1, { requests: { ...requests, resetMs: 120_000 } }))).toBe(window);
    expect(doubtOf(check!, changed(1, { requests: { ...requests, limit: 30 } }))).toBe(window);
    expect(doubtOf(check!, changed(1, { cached: true }))).toBe(window);
    expect(doubtOf(check!, changed(1, { outcome: "rejected" }))).toBe(window);
    expect(doubtOf(check!, withRemaining(11, null))).toBe(window);
    expect(doubtOf(check!, withRemaining(31, 57))).toBe("a refill explains the rise");
    expect(doubtOf(check!, ops, parametersOf(check!, { windowMs: 1000 }))).toBe("a refill explains the rise");
  });

  it("is refused where the window did not count each request, or others came in between", () => {
    expect(doubtOf(check!, withRemaining(5, 40))).toBe("the window did not count each of them");
    expect(doubtOf(check!, withRemaining(11, 60))).toBe("other requests came between the two changes");
  });

  it("is refused where another change left the window counting, whether or not it is cited", () => {
    const further = [...ops, ...row(58, 41, 6000), reading(51, 8000, 48)];
    expect(doubtOf(check!, further)).toBe("after another change the window went on counting");
    expect(doubtOf(check!, [...ops, ...row(58, 41, 6000), reading(51, 8000, 59)])).toBeNull();
  });
});
