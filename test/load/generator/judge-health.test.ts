import { describe, expect, it } from "vitest";
import { judgeHealth, type HealthInput } from "../../../src/load/generator/judge-health.ts";
import { validityOf } from "../../../src/load/generator/invalid-reason.ts";
import type { LoadProfileResult, LoadStep } from "../../../src/core/result/load-result.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { givenUpRecord } from "../../../src/load/samples/unanswered-record.ts";
import { createSecondSeries } from "../../../src/load/generator/second-series.ts";
import { mergeShares } from "../../../src/load/ledger/merge-shares.ts";
import type { ShareResult } from "../../../src/load/ledger/share-result.ts";
import { summarizeStep } from "../../../src/load/judge/summarize-step.ts";
import { makeShare } from "../../make/results/make-load-result.ts";
import { context } from "../../make/load/exchange-fixture.ts";

const latencyMs = 80;
const records: readonly LoadRecord[] = Array.from({ length: 200 }, (_, index) => {
  const intendedMs = 50 * index;
  return {
    ...givenUpRecord({ ...context, intendedMs, issuedMs: intendedMs + 0.2 }, intendedMs + 0.2),
    seq: index + 1,
    sentMs: intendedMs + 0.3,
    outcome: "ok",
    status: 200,
    answeredMs: intendedMs + 0.2 + latencyMs,
    endMs: intendedMs + 0.2 + latencyMs,
  };
});
const trueArea = 200 * latencyMs;

function judge(change: Partial<HealthInput>): Pick<LoadProfileResult, "health" | "validity"> {
  const { health, reasons } = judgeHealth({
    overflow: null,
    seconds: [],
    samples: [],
    records,
    openLoop: true,
    areaMs: trueArea,
    allRecords: records,
    ...change,
  });
  return { health, validity: validityOf(reasons) };
}

describe("judgeHealth", () => {
  it("names the ceiling of the generator where a closed loop kept it busy, and no ceiling where sends were planned", () => {
    const busy = createSecondSeries(0);
    for (let second = 0; second < 10; second += 1) {
      busy.health({ second, loopUtilization: 0.97, loopDelayMaxMs: 5, runDelayMs: 0 });
      for (let answer = 0; answer < 30; answer += 1) {
        busy.sent(1000 * second + 1);
        busy.left(1000 * second + 3);
        busy.recorded({ ...records[0]!, intendedMs: 1000 * second, issuedMs: 1000 * second, endMs: 1000 * second + 3 });
      }
    }
    const seconds = busy.seconds();
    const reasons = (openLoop: boolean): string => judge({ seconds, openLoop }).validity.reasons.join();
    expect(reasons(false)).toBe(
      "generator-limited: the loop kept the generator busy all the time: 30 answers a second are the generator's ceiling, not the target's",
    );
    expect(reasons(true)).toContain("9 of 9 seconds were over the bounds of the generator");
    // Answers that are read when nothing is under way delay nothing.
    const after = seconds.map((second, place) =>
      place < 5 ? { ...second, tainted: false } : { ...second, sent: 0, ok: 0, inFlight: 0 },
    );
    expect(judge({ seconds: after }).validity.valid).toBe(true);
  });

  it("knows nothing of a loop that nobody looked at", () => {
    expect(judge({}).health).toMatchObject({ loopUtilization: null, loopDelayMaxMs: null });
  });

  it("finds counts that contradict each other by Little's law", () => {
    expect(judge({}).validity).toEqual({ valid: true, reasons: [] });
    expect(judge({}).health.littleDiscrepancy).toBeCloseTo(0);
    for (const areaMs of [0.8 * trueArea, 1.3 * trueArea]) {
      expect(judge({ areaMs }).validity.reasons.join()).toMatch(/bookkeeping: .* disagree by/);
    }
    // Less than 5 ms a request is the way from the last byte to its notice.
    expect(judge({ areaMs: 1.055 * trueArea }).validity.valid).toBe(true);
  });

  it("allows the less by Little's law, the more requests there are", () => {
    const judged = (count: number, share: number): boolean => {
      const slow = Array.from({ length: count }, (_, index) => {
        const issuedMs = (10_000 * index) / count;
        return { ...records[0]!, intendedMs: issuedMs, issuedMs, answeredMs: issuedMs + 5000, endMs: issuedMs + 5000 };
      });
      return judge({ records: slow, allRecords: slow, areaMs: (1 + share) * 5000 * count }).validity.valid;
    };
    // One part in fifty of 5 s is far more than the way from the last byte to its notice.
    expect([judged(200, 0.02), judged(10_000, 0.02), judged(10_000, 0.008)]).toEqual([true, false, true]);
  });

  it("leaves a closed loop of one the notice of its answers: 5.6 % of 31 ms are 1.7 ms", () => {
    const inTurn = records.map((record, index) => {
      const issuedMs = 33 * index;
      return { ...record, intendedMs: issuedMs, issuedMs, answeredMs: issuedMs + 31, endMs: issuedMs + 31 };
    });
    const areaMs = (200 * 31) / (1 - 0.056);
    const { health, validity } = judge({ records: inTurn, allRecords: inTurn, openLoop: false, areaMs });
    expect([health.littleDiscrepancy?.toFixed(3), validity]).toEqual(["0.056", { valid: true, reasons: [] }]);
  });

  it("finds sends that left late, and sends that never left in time", () => {
    const late = records.map((record) => ({ ...record, issuedMs: record.issuedMs + 30 }));
    expect(judge({ records: late }).validity.reasons.join()).toContain("generator-limited: sends left");
    // 30 ms are nothing beside a median of a second.
    const slow = late.map((record) => ({ ...record, answeredMs: record.answeredMs + 1000 }));
    expect(judge({ records: slow }).validity.valid).toBe(true);
    const missing = records.map((record, index) => (index % 20 === 0 ? { ...record, issuedMs: record.issuedMs + 1500 } : record));
    expect(judge({ records: missing }).validity.reasons.join()).toContain("95.0 % of the planned sends");
    // A closed loop has no plan to be late for.
    expect(judge({ records: late, openLoop: false }).validity.valid).toBe(true);
  });
});

describe("a step of a search", () => {
  const missed = records.map((record) => ({ ...record, good: false }));

  it("is missed by the target, or not reported where the generator was late", () => {
    const step = (records: readonly LoadRecord[]): LoadStep => summarizeStep({ records, ratePerSecond: 20, lengthMs: 10_000 });
    expect(step(missed).verdict).toBe("fail");
    const late = missed.map((record) => ({ ...record, issuedMs: record.issuedMs + 40 }));
    expect(step(late)).toMatchObject({ verdict: "inconclusive", limitedBy: "generator" });
    // Met in spite of the generator is met.
    const met = late.map((record) => ({ ...record, good: true }));
    expect(step(met).verdict).toBe("pass");
  });

  it("is not held by a handful of requests, nor by fewer than it is named after", () => {
    const good = records.map((record) => ({ ...record, good: true }));
    const step = (count: number, ratePerSecond: number, lengthMs: number, from = good): LoadStep =>
      summarizeStep({ records: from.slice(0, count), ratePerSecond, lengthMs });
    const few = step(7, 6, 3000);
    expect(few).toMatchObject({ asked: 6, requests: 7, verdict: "inconclusive", limitedBy: "samples" });
    expect(few.offered).toBeCloseTo(2.33);
    expect(few.reason).toBe("7 requests are too few to judge 95 % by, 72 are needed");
    expect(step(71, 24, 3000).verdict).toBe("inconclusive");
    expect(step(72, 24, 3000).verdict).toBe("pass");
    expect(step(100, 50, 3000).reason).toBe("only 33.33/s of the planned 50/s were offered");
    // A miss is plain from fewer: no rate above will be better.
    expect(step(7, 6, 3000, missed).verdict).toBe("fail");
    expect(step(2, 6, 3000, missed).verdict).toBe("fail");
    expect(step(1, 6, 3000, missed).verdict).toBe("inconclusive");
  });

  it("is held or missed by its whole interval, and says how much longer it had to be", () => {
    const step = (bad: number): LoadStep =>
      summarizeStep({
        records: Array.from({ length: 200 }, (_, at) => ({
          ...records[0]!,
          intendedMs: 50 * at,
          good: Math.floor(((at + 1) * bad) / 200) === Math.floor((at * bad) / 200),
        })),
        ratePerSecond: 20,
        lengthMs: 10_000,
      });
    expect([1, 8, 40].map((bad) => step(bad).verdict)).toEqual(["pass", "inconclusive", "fail"]);
    expect(step(8).reason).toMatch(
      /^192 of 200 were good, and the 95 % interval holds 95 %; about \d+ times as long would decide it$/,
    );
  });

  it("distinguishes percentiles from the sample floor on only", () => {
    const step = (count: number): LoadStep =>
      summarizeStep({ records: records.slice(0, count), ratePerSecond: 6, lengthMs: 3000 });
    expect(step(71)).toMatchObject({ answers: 71, userLatencyP95: null });
    expect(step(72).userLatencyP95).toBeCloseTo(80.2);
  });
});

describe("mergeShares", () => {
  const share = (index: number, count: number, busy: number): ShareResult => {
    const own = records.filter((_, position) => position % count === index);
    return {
      ...makeShare(own),
      areaMs: own.length * latencyMs,
      health: Array.from({ length: 10 }, (_, second) => ({
        second,
        loopUtilization: second === 4 ? busy : 0.2,
        loopDelayMaxMs: 3,
        runDelayMs: 1,
      })),
      retried: 1,
      races: { count: index, outOf: own.length },
      endMs: 10_100 + index,
    };
  };

  it("gives back the records that one worker would have kept", () => {
    const merged = mergeShares([share(0, 3, 0.2), share(1, 3, 0.2), share(2, 3, 0.2)]);
    expect(merged.records).toEqual(records);
    expect([merged.planned, merged.retried, merged.areaMs, merged.endMs]).toEqual([200, 3, trueArea, 10_102]);
    expect(merged.races).toEqual({ count: 3, outOf: 200 });
    expect(merged.seconds.slice(0, 10).map(({ offered, sent, tainted }) => [offered, sent, tainted])).toEqual(
      Array.from({ length: 10 }, () => [20, 20, false]),
    );
    // At 20 sends a second that take 80 ms each, one or two are under way at any time.
    expect(Math.max(...merged.seconds.map(({ inFlight }) => inFlight))).toBeLessThanOrEqual(2);
    expect(judge({ records: merged.records, allRecords: merged.records, areaMs: merged.areaMs }).validity.valid).toBe(true);
  });

  it("taints a second in which one loop of several was starved", () => {
    const merged = mergeShares([share(0, 2, 0.2), share(1, 2, 0.97)]);
    // Nobody looked at the last, in which answers were read.
    const tainted = merged.seconds.filter((second) => second.tainted);
    expect(tainted.map(({ second, loopUtilization }) => [second, loopUtilization])).toEqual([
      [4, 0.97],
      [10, null],
    ]);
    expect(merged.health[4]).toEqual({ second: 4, loopUtilization: 0.97, loopDelayMaxMs: 3, runDelayMs: 2 });
  });

  it("is held up for as long as the loop that was held up longest, where each knows it", () => {
    const heldFor = (...times: readonly (number | undefined)[]): unknown => {
      const shares = times.map((heldMs, loop) => {
        const one = share(loop, 2, 0.2);
        return { ...one, health: one.health.map((second) => (heldMs === undefined ? second : { ...second, heldMs })) };
      });
      return mergeShares(shares).health[4]?.heldMs;
    };
    expect(heldFor(30, 90, 60)).toBe(90);
    expect(heldFor(30, undefined)).toBeUndefined();
  });

  it("keeps the reason for which any loop ended early", () => {
    const [first, second] = [share(0, 2, 0), share(1, 2, 0)];
    const stopReason = { kind: "budget", words: "budget: used up" } as const;
    expect(mergeShares([first, { ...second, stopReason }]).stopReason).toBe(stopReason);
    expect(mergeShares([first, second]).stopReason).toBeNull();
  });
});
