import { describe, expect, it } from "vitest";
import { knownServers, type KnownServer } from "../../../bench/capacity/servers.ts";
import { createRandom } from "../../../src/core/random.ts";
import type { CapacityTrial } from "../../../src/load/capacity/capacity-trial.ts";
import { fitCapacity } from "../../../src/load/capacity/fit-capacity.ts";
import type { LoadStep } from "../../../src/core/result/load-result.ts";
import { describeCapacity } from "../../../src/load/judge/describe-capacity.ts";
import { missesOf } from "../../../src/load/capacity/misses-of.ts";
import { type CapacityBounds, type CapacityStop, nextOf } from "../../../src/load/capacity/next-trial.ts";

const bounds: CapacityBounds = {
  from: 1,
  to: 64,
  whole: false,
  precision: 0.05,
  maxRequests: 20_000,
  maxSeconds: 3600,
  leastRequests: 200,
  leastSeconds: 0,
};

interface Searched {
  readonly trials: readonly CapacityTrial[];
  readonly stop: CapacityStop;
}

/** Searches where a level misses so many of its requests; null: the generator could not send it. */
function search(limits: CapacityBounds, shareAt: (level: number, trial: number) => number | null): Searched {
  const trials: CapacityTrial[] = [];
  for (let next = nextOf(trials, limits); ; next = nextOf(trials, limits)) {
    if (typeof next === "string") return { trials, stop: next };
    const { level, requests = 0, seconds } = next;
    const share = shareAt(level, trials.length);
    const missed = Math.round(requests * (share ?? 0));
    const counts = [{ gate: "ttft.p95 < 1s", allowed: 0.05, missed, counted: requests, effective: requests }];
    trials.push({ level, requests, seconds: limits.whole ? 1 : seconds, counts, isLate: share === null });
    if (trials.length > 500) throw new Error("the search does not end");
  }
}

describe("a search for capacity", () => {
  it("finds a cliff between two levels, however sharp it is", () => {
    for (const cliff of [2.2, 5.9, 11.3, 23, 47.7]) {
      const { trials, stop } = search({ ...bounds, maxSeconds: Infinity }, (rate) => (rate <= cliff ? 0 : 1));
      const { value, low, high } = fitCapacity(trials);
      expect(stop).toBe("narrow");
      expect(low).toBeLessThanOrEqual(cliff);
      expect(high).toBeGreaterThanOrEqual(cliff);
      expect(Math.abs(value / cliff - 1)).toBeLessThan(0.05);
    }
  });

  it("names the last whole number that holds", () => {
    for (const capacity of [1, 2, 7, 40]) {
      const { trials } = search({ ...bounds, whole: true }, (clients) => (clients <= capacity ? 0.01 : 0.2));
      const { value, low, high } = fitCapacity(trials);
      expect(Math.abs(Math.floor(value) - capacity)).toBeLessThanOrEqual(Math.floor(0.05 * capacity));
      expect(Math.floor(low)).toBeLessThanOrEqual(capacity);
      expect(Math.floor(high)).toBeGreaterThanOrEqual(capacity);
    }
  });

  it("says where every level holds, or none, after asking the edge twice", () => {
    const easy = search(bounds, () => 0);
    expect(easy.stop).toBe("above");
    expect(easy.trials.filter(({ level }) => level === 64)).toHaveLength(2);
    expect(fitCapacity(easy.trials)).toMatchObject({ value: 64, side: "above" });
    const hard = search(bounds, () => 0.5);
    expect(hard.stop).toBe("below");
    expect(hard.trials.map(({ level }) => level)).toEqual([1, 1]);
    expect(fitCapacity(hard.trials).side).toBe("below");
  });

  it("spends no more requests and no more time than it may", () => {
    const noise = createRandom(5);
    const noisy = (rate: number): number => Math.min(1, Math.max(0, 0.05 * (rate / 20) ** 2 + 0.03 * (noise.next() - 0.5)));
    const few = search({ ...bounds, maxRequests: 3000, precision: 0.005 }, noisy);
    expect(few.stop).toBe("requests");
    expect(few.trials.reduce((sum, { requests }) => sum + requests, 0)).toBeLessThanOrEqual(3000);
    const short = search({ ...bounds, maxSeconds: 400, precision: 0.005 }, noisy);
    expect(short.stop).toBe("seconds");
    expect(short.trials.reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThanOrEqual(400);
  });

  it("tries a level again that the generator could not send, and ends where it could not twice", () => {
    const once = search(bounds, (rate, trial) => (trial === 2 ? null : rate <= 23 ? 0 : 1));
    expect(once.stop).toBe("narrow");
    expect(once.trials[3]?.level).toBe(once.trials[2]?.level);
    const twice = search(bounds, (rate) => (rate >= 8 ? null : 0));
    expect(twice.stop).toBe("generator");
    expect(twice.trials.filter(({ isLate }) => isLate)).toHaveLength(2);
  });
});

/** As the bench asks it: docs/measurements/capacity.md holds a hundred searches of each. */
function searchKnown(server: KnownServer, maxRequests: number): ReturnType<typeof fitCapacity> {
  const random = createRandom(1).fork(server.name);
  const whole = server.of === "concurrency";
  const limits = { ...bounds, from: server.from, to: server.to, whole, maxRequests, maxSeconds: Infinity };
  const trials: CapacityTrial[] = [];
  for (let next = nextOf(trials, limits); typeof next !== "string"; next = nextOf(trials, limits)) {
    const { level, requests = 0 } = next;
    const settled = server.run(level, requests, random.fork(`${trials.length}`)).subarray(Math.ceil(0.2 * requests));
    const misses = Float64Array.from(settled, (latency) => (latency > server.bound ? 1 : 0));
    trials.push({ level, requests, seconds: 0, isLate: false, counts: [missesOf("bound", 0.05, { misses, values: settled })] });
  }
  return fitCapacity(trials);
}

describe("the knee of a queue", () => {
  it.each(knownServers.filter(({ name }) => name === "M/M/8, answers within 4" || name.startsWith("batching")))(
    "lies near the analytic one of $name",
    (server) => {
      const { value, low, high } = searchKnown(server, 20_000);
      expect(Math.abs(value / server.knee - 1)).toBeLessThan(0.1);
      expect(low).toBeLessThan(1.1 * server.knee);
      expect(high).toBeGreaterThan(0.9 * server.knee);
    },
  );

  it.each(knownServers.filter(({ of }) => of === "rate"))(
    "has an interval that leaves out far lower rates, of $name",
    (server) => {
      const { low, high } = searchKnown(server, 5000);
      // Trials of an overloaded queue remember far more of their requests than those of a queue that is hardly used.
      expect(low).toBeGreaterThan(0.4 * server.knee);
      expect(high).toBeLessThan(2 * server.knee);
    },
  );
});

describe("the end of a search for a rate", () => {
  it("is not sharper than the dependence of its requests allows", () => {
    const widthOf = (time: number): number => {
      const counts = [{ gate: "ttft.p95 < 1s", allowed: 0.05, missed: 100, counted: 2000, effective: 2000 / time }];
      const trial = { requests: 2500, seconds: 0, isLate: false, counts };
      const far = { ...trial, level: 40, counts: counts.map((count) => ({ ...count, missed: 1500 })) };
      const { low, high } = fitCapacity([{ ...trial, level: 20 }, { ...trial, level: 20 }, far]);
      return Math.log(high / low);
    };
    expect(widthOf(16) / widthOf(1)).toBeGreaterThan(2);
    expect(widthOf(16) / widthOf(1)).toBeLessThan(8);
  });

  it("comes after one long trial just below the level that it names", () => {
    const { trials, stop } = search(bounds, (rate) => (rate <= 23 ? 0 : 1));
    const spent = trials.reduce((sum, { requests }) => sum + requests, 0);
    const { value } = fitCapacity(trials);
    const below = trials.filter(({ level }) => level < value && level > 0.9 * value);
    expect(stop).toBe("narrow");
    expect(Math.max(...below.map(({ requests }) => requests))).toBeGreaterThanOrEqual(0.25 * spent);
  });
});

describe("a gate of which no request gives a figure", () => {
  const silent = { gate: "itl.p99 < 50ms", allowed: 0.01, missed: 0, counted: 0, effective: 0 };
  const seen = { gate: "ttft.p95 < 1s", allowed: 0.05, missed: 0, counted: 200, effective: 200 };

  it("ends the search after three trials of the first level, and leads nothing", () => {
    const trials: CapacityTrial[] = [];
    for (let next = nextOf(trials, bounds); typeof next !== "string"; next = nextOf(trials, bounds))
      trials.push({ level: next.level, requests: 200, seconds: next.seconds, counts: [seen, silent], isLate: false });
    expect([trials.map(({ level }) => level), nextOf(trials, bounds)]).toEqual([[1, 1, 1], "unseen"]);
  });

  it("leaves the capacity unknown, with the gate as the reason", () => {
    const arrivals = {
      kind: "capacity-search",
      of: "rate",
      from: 1,
      to: 64,
      precision: 0.05,
      maxRequests: 10_000,
      maxSeconds: 3600,
      leastRequests: 200,
      leastSeconds: 10,
    } as const;
    const step: LoadStep = {
      asked: 1,
      offered: 1,
      achieved: 1,
      goodput: 1,
      requests: 200,
      seconds: 200,
      userLatencyP95: null,
      ttftP95: null,
      verdict: "inconclusive",
      misses: [seen, silent],
    };
    const found = describeCapacity({ arrivals }, [step, step, step]);
    expect(found).toMatchObject({ value: null, low: null, high: null, stop: "unseen", needed: null });
    expect(found?.reason).toBe("capacity: unknown; no request gave a figure for itl.p99 < 50ms");
    expect(describeCapacity({ arrivals }, [{ ...step, misses: [silent] }])).toMatchObject({ value: null, stop: "ended" });
  });

  it("does not move the level of the others", () => {
    const trial = (level: number, missed: number): CapacityTrial => ({
      level,
      requests: 200,
      seconds: 10,
      counts: [silent, { ...seen, missed }],
      isLate: false,
    });
    const { value, low, high, limitedBy } = fitCapacity([trial(8, 0), trial(16, 2), trial(32, 190)]);
    expect([limitedBy, low <= value, value <= high, value > 8]).toEqual([1, true, true, true]);
  });
});
