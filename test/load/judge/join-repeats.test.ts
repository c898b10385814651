import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/core/random.ts";
import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import { joinRepeats } from "../../../src/load/judge/join-repeats.ts";
import { measureExchange } from "../../../src/load/samples/measure-exchange.ts";
import { context, delta, exchangeOf, streamed } from "../../make/load/exchange-fixture.ts";
import { makeLoadResult, makeProfile } from "../../make/results/make-load-result.ts";

const gates = ["ttft.p95 < 150ms", "errors == 0", "ttft.p50 < 110ms"];

/** Runs of 20 requests a second; the time to first token of each run lies around `centers`, of each request by 20 ms around that. */
function runsOf(centers: readonly number[], seed: number): readonly LoadProfileResult[] {
  const random = createRandom(seed);
  return centers.map((center, place) => {
    const repeat = { of: "p", number: place + 1, runs: centers.length };
    const profile = { ...makeProfile(20, 20, gates), id: `p-run${place + 1}`, repeat };
    const records = Array.from({ length: 400 }, (_, index) => {
      const sentMs = 50 * index;
      const atMs = sentMs + center - 20 + 40 * random.next();
      const { response } = streamed([delta(atMs, { content: "a" }, {}, atMs)]);
      const timing = { intendedMs: sentMs, sentMs, headersMs: atMs, firstByteMs: atMs, endMs: atMs + 1, wallMs: 0, lateMs: 0 };
      return measureExchange(exchangeOf({ response, failure: null, timing }), {
        ...context,
        intendedMs: sentMs,
        issuedMs: sentMs,
      }).record;
    });
    return makeLoadResult(profile, records);
  });
}

const verdicts = (runs: readonly LoadProfileResult[]): readonly string[] => {
  const gatesOfLast = joinRepeats(runs).at(-1)?.gates ?? [];
  return gatesOfLast.map(({ verdict }) => verdict);
};

describe("the runs of a repeated profile", () => {
  it("are judged together: a run alone may pass what the spread between runs leaves open", () => {
    expect(verdicts(runsOf([95, 96, 95], 1))).toEqual(
      ["pass", "fail", "pass"].map((verdict, at) => (at === 1 ? "pass" : verdict)),
    );
    const spread = runsOf([80, 125, 85], 1);
    expect(spread.map((run) => run.gates[2]?.verdict)).toEqual(["pass", "fail", "pass"]);
    expect(verdicts(spread)).toEqual(["inconclusive", "pass", "inconclusive"]);
    expect(verdicts(runsOf([190, 195, 192], 1))).toEqual(["fail", "pass", "fail"]);
  });

  it("keep what each says by itself, and the verdict over all stands with the last", () => {
    const joined = joinRepeats(runsOf([95, 100, 105, 100], 2));
    expect(joined.map((run) => run.gates.length)).toEqual([0, 0, 0, 3]);
    expect(joined.map((run) => run.ownGates?.length)).toEqual([3, 3, 3, 3]);
    const { repeats } = joined.at(-1) ?? {};
    expect(repeats).toMatchObject({ runs: 4, planned: 4 });
    const p50 = repeats?.figures.find(({ name }) => name === "Time to first token p50, chat");
    expect(p50?.values).toHaveLength(4);
    // Centers 5 ms apart: 4.1 between them, and a fifth of the spread of requests within one.
    expect(p50?.between).toBeGreaterThan(2.5);
    expect(p50?.between).toBeLessThan(6);
    expect(p50?.within ?? 0).toBeLessThan(3);
    expect(p50?.low).toBeLessThan(100);
    expect(p50?.high).toBeGreaterThan(100);
  });

  it("have no mean where a run knows its figure from one side only: what that run missed is missed", () => {
    const [first, ...others] = runsOf([95, 96, 95], 1);
    if (first === undefined) throw new Error("no run");
    const censored = { atLeast: true, observed: 152, high: null, verdict: "fail" } as const;
    const gatesOfFirst = first.gates.map((gate, at) => (at === 0 ? { ...gate, ...censored } : gate));
    const [gate] = joinRepeats([{ ...first, gates: gatesOfFirst }, ...others]).at(-1)?.gates ?? [];
    expect(gate).toMatchObject(censored);
  });

  it("hold the true mean in about 95 of 100 intervals", () => {
    const random = createRandom(7);
    const normal = (): number => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
    const [template] = runsOf([100], 3);
    if (template === undefined) throw new Error("no run");
    let covered = 0;
    for (let round = 0; round < 300; round += 1) {
      const runs = Array.from({ length: 4 }, (_, place) => ({
        ...template,
        repeat: { of: "p", number: place + 1, runs: 4 },
        rates: { ...template.rates, ok: 20 + normal() },
      }));
      const ok = joinRepeats(runs)
        .at(-1)
        ?.repeats?.figures.find(({ name }) => name === "Successful answers");
      if (ok !== undefined && ok.low <= 20 && ok.high >= 20) covered += 1;
    }
    expect(covered / 300).toBeGreaterThan(0.91);
    expect(covered / 300).toBeLessThan(0.985);
  });

  it("stay as they are where a profile was sent once, or only one run ended", () => {
    const [only] = runsOf([95], 4);
    expect(joinRepeats(only === undefined ? [] : [only])).toEqual([only]);
  });
});
