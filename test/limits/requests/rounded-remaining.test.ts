import { describe, expect, it } from "vitest";
import { roundingOf, describeCoarseness } from "../../../src/limits/history/rounding.ts";
import type { LimitOp } from "../../../src/limits/history/op.ts";
import { disturbances } from "../simulation/disturbances.ts";
import { accusationsIn, examine, simulatedManifest } from "../simulation/exam.ts";
import { lawfulLimiters } from "../simulation/lawful-limiters.ts";
import { serveRequests, type Limiter } from "../simulation/request-service.ts";

const ways = [Math.floor, Math.round, Math.ceil] as const;

/** Shows what remains in steps, never more than the limit. */
function inSteps(inner: Limiter, limit: number, step: number, way: (value: number) => number): Limiter {
  const show = (remaining: number): number => Math.min(limit, way(remaining / step) * step);
  return (context, group, decide) =>
    inner(context, group, (decision) => {
      const { reread } = decision;
      const shown = { ...decision, remaining: show(Number(decision.remaining)) };
      decide(reread === undefined ? shown : { ...shown, reread: () => show(reread()) });
    });
}

const rounders = ["fixed-aligned", "fixed-from-first", "sliding-log-full", "sliding-counter", "bucket-full", "bucket-half-burst"];

describe("a lawful limiter that rounds what remains", () => {
  it.each([5, 10, 20, 60])("is not accused at a limit of %i", async (limit) => {
    let histories = 0;
    for (const [index, { style, network, id }] of disturbances.entries()) {
      if (style.before) continue;
      const limiter = lawfulLimiters.find((one) => one.id === rounders[index % rounders.length])!;
      for (const step of [5, 10]) {
        const way = ways[(index + step / 5) % ways.length]!;
        const service = serveRequests(inSteps(limiter.create(limit, 60_000), limit, step, way), style);
        const judged = await examine({ seed: 8_200_000 + index, service, network, manifest: simulatedManifest(limit) });
        const where = `${limiter.id} in steps of ${step} (${way.name}), ${id}`;
        expect(accusationsIn(judged).map((reported) => `${where}: ${reported}`)).toEqual([]);
        histories += 1;
      }
    }
    expect(histories).toBe(22);
  });

  it("is not said to lose nothing either, where its readings cannot tell", async () => {
    const limiter = lawfulLimiters.find((one) => one.id === "fixed-aligned")!;
    const service = serveRequests(inSteps(limiter.create(10, 60_000), 10, 10, Math.floor));
    const { result } = await examine({ seed: 8_200_000, service, manifest: simulatedManifest(10) });
    const checks = result.policies.flatMap((policy) => policy.checks);
    const counting = [
      "limits.lost-updates",
      "limits.early-renewal",
      "limits.phantom-consumption",
      "limits.remaining-not-granted",
      "limits.keys-share-counter",
      "limits.endpoints-share-counter",
    ];
    for (const id of counting) {
      const reported = checks.filter((check) => check.id === id).map(({ verdict }) => verdict);
      expect([id, ...new Set(reported)]).toEqual([id, "inconclusive"]);
    }
    expect(checks.find((check) => check.id === "limits.lost-updates")?.message).toContain(
      "may be rounded to 10: too coarse to count by",
    );
  });
});

describe("roundingOf", () => {
  const shown = (...readings: readonly (number | null)[]): readonly LimitOp[] =>
    readings.map((remaining) => ({ requests: { remaining } }) as unknown as LimitOp);

  it("takes the largest usual step that everything shown shares", () => {
    expect(roundingOf(shown(50, 40, 0), 60)).toBe(10);
    expect(roundingOf(shown(50, 45, null), 60)).toBe(5);
    expect(roundingOf(shown(50, 44), 60)).toBe(1);
    expect([roundingOf(shown(100, 0), 400), roundingOf(shown(300, 0), 399)]).toEqual([100, 10]);
    expect(roundingOf(shown(47, 40), 47)).toBe(10);
    expect(roundingOf(shown(59, 59), 60)).toBe(1);
  });

  it("assumes a step of ten where a small limit shows nothing but itself and zero, above four", () => {
    expect([roundingOf(shown(10, 0), 10), roundingOf(shown(5, 0), 10), roundingOf(shown(9, 0), 10)]).toEqual([10, 5, 1]);
    expect([roundingOf(shown(0, 0), 5), roundingOf(shown(0, 0), 4), roundingOf(shown(4, 0), 5)]).toEqual([10, 1, 1]);
  });

  it("is too coarse to count by above a quarter of the limit", () => {
    expect([describeCoarseness(10, 40), describeCoarseness(1, 1)]).toEqual([null, null]);
    expect(describeCoarseness(10, 39)).toContain("the limit of 39");
  });
});
