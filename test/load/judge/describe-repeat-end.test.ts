import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/core/random.ts";
import type { GateResult } from "../../../src/core/result/gate-result.ts";
import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import { describeRepeatEnd } from "../../../src/load/judge/describe-repeat-end.ts";
import { joinRepeats } from "../../../src/load/judge/join-repeats.ts";
import { repeatEndWords } from "../../../src/report/text/request-words.ts";
import { makeLoadResult, makeProfile } from "../../make/results/make-load-result.ts";

const template = makeLoadResult(makeProfile(20, 20, []), []);
const valid = { valid: true, reasons: [] };

const gate = (observed: number | null, changes: Partial<GateResult> = {}): GateResult => ({
  id: "ttft.p95",
  expression: "ttft.p95 < 150ms",
  bound: 150,
  unit: "ms",
  observed,
  low: observed === null ? null : observed - 1,
  high: observed === null ? null : observed + 1,
  margin: 0.3,
  verdict: "pass",
  reason: null,
  kind: "percentile",
  ...changes,
});

function runsOf(gates: readonly GateResult[], most = 10): readonly LoadProfileResult[] {
  return gates.map((each, place) => ({
    ...template,
    validity: valid,
    repeat: { of: "p", number: place + 1, runs: most, until: 0.05 },
    gates: [each],
  }));
}

const endOf = (gates: readonly GateResult[], most?: number): ReturnType<typeof describeRepeatEnd> =>
  describeRepeatEnd(runsOf(gates, most));

const alike = [100, 101, 99, 100, 100];

describe("runs of a profile that end by themselves", () => {
  it("end where the interval of each gate's figure is narrow, after five runs at the earliest", () => {
    expect(endOf(alike.slice(0, 4).map((value) => gate(value)))).toMatchObject({ reason: "broken-off" });
    const narrow = endOf(alike.map((value) => gate(value)));
    expect(narrow).toMatchObject({ reason: "narrow", widest: { figure: "ttft.p95", why: null } });
    expect(narrow?.widest.halfWidth).toBeLessThan(0.02);
    const spread = [80, 125, 85, 130, 90].map((value) => gate(value));
    expect(endOf(spread, 5)).toMatchObject({ reason: "most-runs", widest: { figure: "ttft.p95" } });
    expect(endOf(spread)).toMatchObject({ reason: "broken-off" });
  });

  it.each([
    ["one that is known from one side", gate(140, { atLeast: true, low: 140, high: null })],
    ["one that was missed by requests without an answer", gate(152, { low: 152, high: null, verdict: "fail" })],
    ["one without a value", gate(null, { verdict: "inconclusive", doubt: "too-few" })],
    ["one that this machine could not measure", gate(100, { verdict: "inconclusive", doubt: "instrument" })],
  ])("are never narrow by a figure such as %s", (_name, censored) => {
    const gates = [...alike, ...alike].map((value) => gate(value));
    const end = endOf(gates.map((each, place) => (place === 2 ? censored : each)));
    expect(end).toMatchObject({ reason: "most-runs", widest: { halfWidth: null, why: expect.any(String) as string } });
  });

  it("name the figures whose intervals count, and why these", () => {
    const withGate = joinRepeats(runsOf(alike.map((value) => gate(value)))).at(-1);
    expect(withGate!.repeats?.end).toMatchObject({ basis: "gates", figures: ["ttft.p95"] });
    const twoGates = runsOf(alike.map((value) => gate(value))).map((run) => ({
      ...run,
      gates: run.gates.flatMap((one) => [one, { ...one, id: "tpot.p95", expression: "tpot.p95 < 150ms" }]),
    }));
    expect(repeatEndWords(joinRepeats(twoGates).at(-1)!)).toContain("; of the figures of its gates: ttft.p95, tpot.p95");
    const without = runsOf(alike.map((value) => gate(value))).map((run) => ({ ...run, gates: [] }));
    const joined = joinRepeats(without).at(-1);
    expect(joined!.repeats?.end).toMatchObject({ basis: "report" });
    expect(joined!.repeats?.end?.figures).toEqual(joined!.repeats?.figures.map(({ name }) => name));
    expect(repeatEndWords(joined!)).toMatch(
      /; of latencies and rates, as no gate bounds a figure that has an interval: .*ok\b|successful|answers/i,
    );
  });

  it("may have an open interval within a run: few dependent samples have one end, and the spread between runs stands", () => {
    expect(endOf(alike.map((value) => gate(value, { low: null })))).toMatchObject({ reason: "narrow" });
  });

  it("measure a fraction in points: a part of next to nothing would ask for any number of runs", () => {
    const fraction = { id: "error_rate", expression: "error_rate < 1%", unit: "", bound: 0.01, kind: "fraction" } as const;
    const gates = [0, 0, 0.002, 0, 0].map((value) => gate(value, { ...fraction, low: 0, high: value + 0.01 }));
    expect(endOf(gates)).toMatchObject({ reason: "narrow", widest: { isShare: true } });
    const wide = [0, 0.2, 0, 0.3, 0].map((value) => gate(value, { ...fraction, low: 0, high: value + 0.01 }));
    expect(endOf(wide)).toMatchObject({ reason: "broken-off" });
  });

  it("go on while a narrow interval holds the bound of its gate and runs are left", () => {
    const fraction = { id: "error_rate", expression: "error_rate < 1%", unit: "", bound: 0.01, kind: "fraction" } as const;
    const shares = [0.002, 0.014, 0.006, 0.012, 0.007, 0.009];
    const gates = shares.map((value) => gate(value, { ...fraction, low: value - 0.001, high: value + 0.001 }));
    expect(endOf(gates)).toMatchObject({ reason: "broken-off", widest: { why: "it holds the bound of its gate" } });
    expect(endOf(gates, 6)).toMatchObject({ reason: "narrow" });
    const near = [149, 151, 150, 149, 151].map((value) => gate(value));
    expect(endOf(near)).toMatchObject({ reason: "broken-off", widest: { figure: "ttft.p95" } });
  });

  it("are not narrow without gates where one of them is not valid", () => {
    const runs = runsOf(alike.map((value) => gate(value))).map((run, place) => ({
      ...run,
      gates: [],
      rates: { ...run.rates, ok: 20 },
      validity: place === 1 ? { valid: false, reasons: ["generator late"] } : run.validity,
    }));
    expect(describeRepeatEnd(runs)).toMatchObject({
      reason: "broken-off",
      widest: { why: "run 2 is not valid: generator late" },
    });
  });

  it("ask counts for nothing: without another gate the figures that every repeated profile shows decide", () => {
    const count = { id: "errors", expression: "errors == 0", unit: "", bound: 0, kind: "count", low: null, high: null } as const;
    const none = endOf(alike.map(() => gate(0, count)));
    // Nothing succeeded in the template.
    expect(none).toMatchObject({ reason: "broken-off", widest: { figure: "Successful answers", why: "its mean is 0" } });
  });

  it("say why they ended", () => {
    const words = (gates: readonly GateResult[], most: number): string => {
      const last = joinRepeats(runsOf(gates, most)).at(-1);
      if (last === undefined) throw new Error("no run");
      return repeatEndWords(last);
    };
    const narrow = alike.map((value) => gate(value));
    expect(words(narrow, 10)).toMatch(
      /^ended after 5 of at most 10 runs: .* ±5\.0 % of the mean, the widest ±\d\.\d % \(ttft\.p95\)$/,
    );
    const wide = [80, 125, 85, 130, 90].map((value) => gate(value));
    expect(words(wide, 5)).toMatch(/^ended after 5 runs, the most allowed: the interval of ttft\.p95 is ±\d+\.\d %, and ±5\.0 %/);
    const shares = [0, 0.001, 0, 0, 0].map((value) =>
      gate(value, {
        expression: "error_rate < 50%",
        bound: 0.5,
        unit: "",
        kind: "fraction",
        id: "error_rate",
        low: value,
        high: value,
      }),
    );
    expect(words(shares, 10)).toMatch(/within ±5 points of the mean, the widest ±\S+ points \(error_rate\)$/);
    expect(words(narrow.slice(0, 3), 10)).toMatch(/^broken off after 3 of at most 10 runs: /);
  });

  it("hold the true mean in more than 9 of 10 intervals, though the runs choose when they end", () => {
    const random = createRandom(11);
    const normal = (): number => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
    let covered = 0;
    let ended = 0;
    const rounds = 400;
    for (let round = 0; round < rounds; round += 1) {
      const runs: LoadProfileResult[] = [];
      while (runs.length < 20 && describeRepeatEnd(runs)?.reason !== "narrow") {
        const repeat = { of: "p", number: runs.length + 1, runs: 20, until: 0.05 };
        runs.push({
          ...template,
          validity: valid,
          repeat,
          rates: { ...template.rates, ok: 20 + 1.2 * normal(), outputTokens: null },
        });
      }
      ended += runs.length < 20 ? 1 : 0;
      const ok = joinRepeats(runs)
        .at(-1)
        ?.repeats?.figures.find(({ name }) => name === "Successful answers");
      if (ok !== undefined && ok.low <= 20 && ok.high >= 20) covered += 1;
    }
    expect(ended / rounds).toBeGreaterThan(0.95);
    expect(covered / rounds).toBeGreaterThan(0.9);
  });
});
