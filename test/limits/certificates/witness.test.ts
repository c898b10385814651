import { describe, expect, it } from "vitest";
import type { LimitsJudgement } from "../../../src/limits/exam/judge-limits.ts";
import type { Disturbance } from "../simulation/disturbances.ts";
import { disturbances } from "../simulation/disturbances.ts";
import { examine, simulatedManifest } from "../simulation/exam.ts";
import { faultyLimiters } from "../simulation/faulty-limiters.ts";
import { lawfulLimiters, type LawfulLimiter } from "../simulation/lawful-limiters.ts";
import { serveRequests } from "../simulation/request-service.ts";

const limit = 60;

async function exam(
  limiter: Pick<LawfulLimiter, "create">,
  { style, network }: Pick<Disturbance, "style" | "network">,
  seed: number,
): Promise<LimitsJudgement> {
  return await examine({
    seed,
    service: serveRequests(limiter.create(limit, 60_000), style),
    network,
    manifest: simulatedManifest(limit),
  });
}

function witnessed({ result }: LimitsJudgement): readonly string[] {
  const survivors = result.policies.flatMap((policy) => policy.identification?.survivors ?? []);
  return survivors.filter(({ witness }) => witness).map(({ family }) => family);
}

/** Faults that change a status, a remaining or a reset, each of which no limiter of the list can reproduce in a short exam. */
const irreproducible = [
  "get-then-set",
  "limit-plus-one",
  "limit-minus-one",
  "three-instances",
  "two-bucket-instances",
  "lost-increments",
  "double-count",
  "window-50s",
  "window-75s",
  "stale-remaining",
  "constant-remaining",
  "reset-is-start",
  "reset-30s-late",
  "reset-moves",
];

describe("the search for a witness", () => {
  it.each(["none", "remaining before the request"])(
    "finds an order of decisions for every lawful limiter under %s",
    async (id) => {
      const disturbance = disturbances.find((one) => one.id === id)!;
      const without: string[] = [];
      // The search knows one grid of windows only, and readings that are rounded down: of others it finds no order and says nothing.
      const isUnknown = (id: string): boolean => /-restarts$|-counter-exact$|-rounds-up$/.test(id);
      for (const limiter of lawfulLimiters.filter(({ id }) => !isUnknown(id))) {
        if (disturbance.skip?.includes(limiter.id)) continue;
        const found = witnessed(await exam(limiter, disturbance, 7924));
        const own = limiter.family === "fixed-window" ? ["fixed-window", "fixed-from-first"] : [limiter.family];
        if (!own.some((family) => found.includes(family))) without.push(limiter.id);
      }
      expect(without).toEqual([]);
    },
  );

  // Remaining is shown in tens: only labels say which of the requests under way was decided first.
  it.each([101, 102, 103, 104, 105])("finds the order of a rounded bucket by its labels, seed %i", async (seed) => {
    const bucket = lawfulLimiters.find(({ id }) => id === "bucket-rounded")!;
    expect(witnessed(await exam(bucket, disturbances[0]!, seed))).toContain("token-bucket");
  });

  // The exam comes back within the second that such a clock cuts off the end of a window.
  it.each([7920, 7922, 7924, 7930])("finds the order of windows by a clock in whole seconds, seed %i", async (seed) => {
    const windows = lawfulLimiters.find(({ id }) => id === "fixed-whole-seconds")!;
    expect(witnessed(await exam(windows, disturbances[0]!, seed))).toContain("fixed-from-first");
  });

  it.each(irreproducible)("claims none for %s", async (id) => {
    const faulty = faultyLimiters.find((one) => one.id === id)!;
    const none = disturbances[0]!;
    expect(witnessed(await exam(faulty, none, 31))).toEqual([]);
  });
});
