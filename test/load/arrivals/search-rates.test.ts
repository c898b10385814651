import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LoadStep } from "../../../src/core/result/load-result.ts";
import { shapeOf } from "../../../src/load/arrivals/arrival-kinds.ts";
import type { Arrivals } from "../../../src/load/profile/arrivals.ts";
import { findKnee } from "../../../src/load/judge/find-knee.ts";

function searchRates(
  arrivals: Arrivals,
  tryRate: (rate: number, step: number) => Promise<LoadStep | null>,
): Promise<readonly LoadStep[]> {
  const shape = shapeOf(arrivals);
  if (shape.name !== "search") throw new Error(`${arrivals.kind} searches nothing`);
  return shape.search(({ level }, step) => tryRate(level, step));
}

/** A target that holds every rate up to its capacity. */
function probeOf(capacity: number, tried: number[]): (rate: number) => Promise<LoadStep | null> {
  return (rate) => {
    tried.push(rate);
    const held = rate <= capacity;
    return Promise.resolve({
      offered: rate,
      achieved: rate,
      goodput: Math.min(rate, capacity),
      userLatencyP95: held ? 50 : 5000,
      ttftP95: null,
      verdict: held ? "pass" : "fail",
    });
  };
}

const bisect = (lowPerSecond: number, highPerSecond: number, maxProbes: number) =>
  ({ kind: "bisect", lowPerSecond, highPerSecond, secondsPerProbe: 1, maxProbes, gaps: "even" }) as const;
const sweep = (...ratesPerSecond: readonly number[]) =>
  ({ kind: "sweep", ratesPerSecond, secondsPerRate: 1, gaps: "even" }) as const;

describe("a bisection", () => {
  it("ends within 5 % below any capacity between its ends, in no more probes than it may use", async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 2, max: 99, noNaN: true }), async (capacity) => {
        const tried: number[] = [];
        const steps = await searchRates(bisect(1, 100, 20), probeOf(capacity, tried));
        const knee = findKnee(steps);
        expect(knee?.offered).toBeLessThanOrEqual(capacity);
        expect(knee?.offered).toBeGreaterThan(0.94 * capacity - 0.01);
        expect(steps).toHaveLength(tried.length);
        expect(tried.length).toBeLessThanOrEqual(20);
      }),
    );
  });

  it("uses up its probes and no more", async () => {
    const tried: number[] = [];
    await searchRates(bisect(1, 1000, 4), probeOf(333, tried));
    expect(tried).toEqual([1, 1000, 500.5, 250.75]);
  });

  it("does not halve where its ends agree", async () => {
    const high: number[] = [];
    const easy = await searchRates(bisect(10, 40, 8), probeOf(500, high));
    expect(high).toEqual([10, 40]);
    expect(findKnee(easy)).toMatchObject({ offered: 40, reason: "the highest rate tried, 40/s, still met the service level" });
    const low: number[] = [];
    const hard = await searchRates(bisect(10, 40, 8), probeOf(5, low));
    expect(low).toEqual([10]);
    expect(findKnee(hard)).toBeNull();
  });

  it("ends at a rate that the generator could not send, and does not blame the target", async () => {
    const probe = probeOf(1000, []);
    const weak = async (rate: number): Promise<LoadStep | null> => {
      const step = await probe(rate);
      return rate > 30 && step !== null ? { ...step, verdict: "inconclusive" } : step;
    };
    const found = await searchRates(bisect(10, 40, 8), weak);
    expect(found.map(({ verdict }) => verdict)).toEqual(["pass", "inconclusive"]);
    expect(findKnee(found)).toMatchObject({
      offered: 10,
      reason: "10/s met the service level; 40/s is more than this machine could send",
    });
    const swept = await searchRates(sweep(8, 16, 32, 64), weak);
    expect(swept.map(({ offered }) => offered)).toEqual([8, 16, 32]);
    expect(findKnee(swept)?.offered).toBe(16);
  });

  it("names the rates that really fell due, and ends where one had too few requests to judge", async () => {
    const thin = async (rate: number): Promise<LoadStep | null> => {
      const step = await probeOf(1000, [])(rate);
      if (step === null) return null;
      const drawn = { ...step, asked: rate, offered: 0.9 * rate };
      return rate > 30 ? { ...drawn, verdict: "inconclusive", reason: "9 requests are too few", limitedBy: "samples" } : drawn;
    };
    const found = await searchRates(bisect(10, 40, 8), thin);
    expect(findKnee(found)).toMatchObject({
      offered: 9,
      reason: "10/s met the service level (9.00/s were offered); 40/s is inconclusive: 9 requests are too few",
    });
    const swept = await searchRates(sweep(32, 64, 96), thin);
    expect(swept.map(({ asked }) => asked)).toEqual([32, 64, 96]);
    expect(findKnee(swept)).toBeNull();
  });

  it("keeps what it knows when it is stopped", async () => {
    let probes = 0;
    const probe = probeOf(30, []);
    const stopped = await searchRates(bisect(10, 40, 8), (rate) => {
      probes += 1;
      return probes > 3 ? Promise.resolve(null) : probe(rate);
    });
    expect(stopped.map(({ offered }) => offered)).toEqual([10, 40, 25]);
    expect(findKnee(stopped)?.offered).toBe(25);
  });
});

describe("a sweep", () => {
  it("rises until two rates in a row are missed", async () => {
    const tried: number[] = [];
    const knee = findKnee(await searchRates(sweep(1, 2, 4, 8, 16, 32), probeOf(5, tried)));
    expect(tried).toEqual([1, 2, 4, 8, 16]);
    expect(knee).toMatchObject({ offered: 4, reason: "4/s met the service level, 8/s did not" });
  });

  it("forgives a single miss", async () => {
    const capacities = [10, 10, 0, 10, 10];
    const tried: number[] = [];
    const steps = await searchRates(sweep(1, 2, 3, 4, 5), (rate) => probeOf(capacities[tried.length] ?? 0, tried)(rate));
    expect(steps.map(({ verdict }) => verdict)).toEqual(["pass", "pass", "fail", "pass", "pass"]);
    expect(findKnee(steps)?.offered).toBe(5);
  });
});
