import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/core/random.ts";
import { drawNormal } from "../../../src/load/workload/draw-length.ts";
import type { GateResult } from "../../../src/core/result/gate-result.ts";
import { judgeGate } from "../../../src/load/gates/judge-gate.ts";
import type { GateSource } from "../../../src/load/gates/read-figure.ts";
import { estimateMean } from "../../../src/load/statistics/mean-interval.ts";
import { parseGate } from "../../../src/load/gates/parse-gate.ts";
import { createSampleSet } from "../../../src/load/statistics/sample-set.ts";

function source(values: readonly number[], change: Partial<GateSource> = {}): GateSource {
  const samples = createSampleSet();
  for (const value of values) samples.add(value);
  const all: GateSource = {
    endpoints: ["chat"],
    samples: (metric, endpoint) => (metric === "ttft" && endpoint === "chat" ? samples : null),
    fraction: () => ({ part: 0, whole: 0, inOrder: new Float64Array(0) }),
    rate: () => null,
    count: () => 0,
    certainErrors: () => 0,
    isEstimated: () => false,
    guessed: () => ({ tokens: 0, good: 0, unread: 0 }),
    givenUp: () => 0,
    where: () => all,
    timeoutSeconds: 60,
    planned: null,
    observation: () => null,
    paused: () => 0,
    capacity: null,
    limits: () => null,
    ...change,
  };
  return all;
}

/** Those that have the property lie as far from each other as they can. */
const share = (part: number, whole: number): GateSource => {
  const inOrder = Float64Array.from(
    { length: whole },
    (_, at) => Math.floor(((at + 1) * part) / whole) - Math.floor((at * part) / whole),
  );
  return source([], { fraction: () => ({ part, whole, inOrder }) });
};
const judged = (gate: string, from: GateSource): GateResult => judgeGate(parseGate(gate), from).result;
const verdict = (gate: string, from: GateSource): string => judged(gate, from).verdict;

describe("judgeGate", () => {
  const upTo = (most: number, count = 200): readonly number[] => {
    const random = createRandom(7);
    return Array.from({ length: count }, (_, index) => ({ value: ((index + 1) * most) / count, at: random.next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ value }) => value);
  };

  it("passes when the whole interval meets the bound and fails when none of it does", () => {
    expect(verdict("ttft.p95 < 800ms", source(upTo(700)))).toBe("pass");
    expect(verdict("ttft.p95 < 800ms", source(upTo(1600)))).toBe("fail");
    expect(verdict("ttft.p95 > 800ms", source(upTo(1600)))).toBe("pass");
  });

  it("says why nothing was measured: streams may have a form in which no token can be seen", () => {
    expect(judged("ttft.p95 < 800ms", source([])).reason).toBe("nothing was measured that this gate bounds");
    const unread = source([], { observation: (id) => (id === "no-token" ? 3 : null) });
    expect(judged("ttft.p95 < 800ms", unread).reason).toContain("no stream held content in a form that can be read");
  });

  it("is inconclusive where a pause explains the streams that would miss it, and fails where others miss it as well", () => {
    const gate = "observations.buffered == 0";
    const seen = (count: number, paused: number): GateResult =>
      judged(gate, source([], { observation: () => count, paused: () => paused }));
    expect(seen(0, 0).verdict).toBe("pass");
    expect(seen(0, 7)).toMatchObject({ verdict: "inconclusive", doubt: "instrument" });
    expect(seen(0, 7).reason).toContain("7 streams came so while nothing else arrived");
    expect(seen(4, 7).verdict).toBe("fail");
  });

  it("is inconclusive when the interval holds the bound or samples are too few, and says how many are missing", () => {
    expect(verdict("ttft.p95 < 800ms", source(upTo(840)))).toBe("inconclusive");
    const few = judged("ttft.p95 < 800ms", source(upTo(100, 20)));
    expect(few).toMatchObject({ verdict: "inconclusive", observed: null });
    expect(few.reason).toContain("52 more are needed");
  });

  it("fails early: few samples that all miss the bound are enough", () => {
    expect(verdict("ttft.p95 < 800ms", source(Array.from({ length: 30 }, () => 900)))).toBe("fail");
  });

  it("is never a pass without data", () => {
    expect(verdict("ttft.p95 < 800ms", source([]))).toBe("inconclusive");
    expect(verdict("embeddings.ttft.p95 < 800ms", source(upTo(1)))).toBe("inconclusive");
    expect(verdict("error_rate < 1%", source([]))).toBe("inconclusive");
    expect(verdict("limits.over_admission == 0", source([]))).toBe("untested");
  });

  it("judges fractions by the exact interval", () => {
    expect(verdict("error_rate < 1%", share(0, 100))).toBe("inconclusive");
    expect(verdict("error_rate < 1%", share(0, 400))).toBe("pass");
    expect(verdict("error_rate < 1%", share(20, 400))).toBe("fail");
    expect(verdict("error_rate == 0", share(1, 400))).toBe("fail");
  });

  it("judges a mean by its interval, and reports none of a few samples", () => {
    expect(verdict("ttft.mean < 800ms", source([1]))).toBe("inconclusive");
    expect(judged("ttft.mean < 800ms", source(upTo(100, 71))).reason).toContain("1 more are needed");
    expect(verdict("ttft.mean < 800ms", source(upTo(100, 72)))).toBe("pass");
    // The middle is 500 ms; one sample more or less would have moved it over the bound.
    expect(verdict("ttft.mean < 501ms", source(upTo(1000, 80)))).toBe("inconclusive");
    expect(verdict("ttft.mean < 300ms", source(upTo(1000, 80)))).toBe("fail");
    expect(verdict("ttft.mean < 501ms", source(upTo(1000, 2000)))).toBe("inconclusive");
    expect(verdict("ttft.mean < 520ms", source(upTo(1000, 9000)))).toBe("pass");
  });

  it("holds a mean of skewed samples in its interval nearly as often as it says", () => {
    const random = createRandom(5);
    const truth = Math.exp(0.5 * 0.6 ** 2);
    let [stated, held] = [0, 0];
    for (let round = 0; round < 300; round += 1) {
      const samples = createSampleSet();
      for (let index = 0; index < 72; index += 1) samples.add(Math.exp(0.6 * drawNormal(random)));
      const { low, high } = estimateMean(samples);
      if (low === null || high === null) continue;
      stated += 1;
      if (low <= truth && truth <= high) held += 1;
    }
    expect(stated / 300).toBeGreaterThan(0.8);
    expect(held / stated).toBeGreaterThan(0.92);
  });

  it("lets one sample break a bound on an extreme, and meets it by no fewer than bound the 95th percentile", () => {
    expect(verdict("ttft.max < 800ms", source([1]))).toBe("inconclusive");
    expect(verdict("ttft.max < 800ms", source([900]))).toBe("fail");
    expect(verdict("ttft.max < 800ms", source(upTo(700, 71)))).toBe("inconclusive");
    expect(verdict("ttft.max < 800ms", source(upTo(700, 72)))).toBe("pass");
    expect(verdict("ttft.max > 800ms", source([900]))).toBe("pass");
    expect(verdict("ttft.max > 800ms", source([700]))).toBe("inconclusive");
    expect(verdict("ttft.min > 10ms", source([20]))).toBe("inconclusive");
    expect(verdict("ttft.min > 10ms", source([9]))).toBe("fail");
    expect(verdict("ttft.min < 10ms", source([9]))).toBe("pass");
  });

  it("lets no handful of requests show that there is never an error, or always a good answer", () => {
    const verdicts = ["inconclusive", "pass", "fail"];
    for (const gate of ["error_rate == 0", "error_rate <= 0"]) {
      expect([share(0, 9), share(0, 72), share(1, 9)].map((from) => verdict(gate, from))).toEqual(verdicts);
    }
    for (const gate of ["goodput == 100%", "goodput >= 100%"]) {
      expect([share(9, 9), share(72, 72), share(8, 9)].map((from) => verdict(gate, from))).toEqual(verdicts);
    }
  });

  it("judges rates by their interval", () => {
    const rate = (low: number, value: number, high: number): GateSource =>
      source([], { rate: () => ({ value, low, high, needed: 0, bounds: { least: low, most: high } }) });
    expect(verdict("ok_rate > 4/s", rate(4.1, 5, 5.9))).toBe("pass");
    expect(verdict("ok_rate > 4/s", rate(3.9, 5, 5.9))).toBe("inconclusive");
    expect(verdict("ok_rate > 6/s", rate(4.1, 5, 5.9))).toBe("fail");
  });

  it("says of limits that nobody tested, and not that samples are missing", () => {
    const gate = judged("limits.violations == 0", source([]));
    expect(gate).toMatchObject({ verdict: "untested", reason: "no limit check found in this traffic what it needs to judge" });
  });

  it("takes the worst endpoint when none is named", () => {
    const slow = source(upTo(1600));
    const fast = source(upTo(100));
    const both = source([], {
      endpoints: ["chat", "embeddings"],
      samples: (_, endpoint) => (endpoint === "chat" ? fast : slow).samples("ttft", "chat"),
    });
    expect(verdict("ttft.p95 < 800ms", both)).toBe("fail");
    expect(verdict("chat.ttft.p95 < 800ms", both)).toBe("pass");
  });

  it("reports the distance to the bound, positive when met", () => {
    expect(judged("ttft.max < 1s", source(upTo(750))).margin).toBeCloseTo(0.25);
    expect(judged("ttft.max > 1s", source(upTo(750))).margin).toBeCloseTo(-0.25);
    expect(judged("errors == 0", source([])).margin).toBeNull();
  });
});
