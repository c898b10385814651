import { describe, expect, it } from "vitest";
import type { BurstRound } from "../../../src/limits/burst/burst-rounds.ts";
import { readAdmission } from "../../../src/limits/burst/read-admission.ts";
import type { LimitOp } from "../../../src/limits/history/op.ts";
import { defaultTolerances } from "../../../src/limits/history/tolerances.ts";
import { makeLimitOp } from "../../make/exchanges/make-limit-op.ts";

const terms = { burst: 10, cooldownMs: 65_000, tolerances: defaultTolerances };

/** So many are served from an instant on, the first apart from the others, and three are refused. */
function round(kind: BurstRound["kind"], atMs: number, served: number): BurstRound {
  const sentMs = (index: number): number => atMs + (kind === "sequential" && index > 0 ? 4500 : 0) + 10 * index;
  const ops: readonly LimitOp[] = Array.from({ length: served + 3 }, (_, index) =>
    makeLimitOp(atMs + index, sentMs(index), sentMs(index) + 5, { outcome: index < served ? "admitted" : "rejected" }),
  );
  const earliestMs = ops[9]!.sentMs;
  const [admitted, rejected] = [ops.slice(0, served), ops.slice(served)];
  return { kind, ops, admitted, rejected, earliestMs, latestMs: rejected[0]!.headersMs, usedFromMs: null };
}

describe("readAdmission", () => {
  const cases: readonly (readonly [string, string, readonly BurstRound[]])[] = [
    ["the allowance and no more", "within", [round("sequential", 0, 10), round("volley", 72_000, 10)]],
    ["more than two minutes grant", "over", [round("sequential", 0, 23)]],
    ["one more, once", "open", [round("sequential", 0, 11)]],
    ["one more at once, once", "open", [round("sequential", 0, 10), round("volley", 72_000, 11)]],
    ["one more at two instants of the minute", "over", [round("sequential", 0, 11), round("volley", 72_000, 11)]],
    ["one more twice, at one instant of the minute", "open", [round("volley", 0, 11), round("volley", 120_000, 11)]],
    [
      "one more one by one, and none at another instant",
      "within",
      [round("sequential", 0, 11), round("sequential", 144_000, 10)],
    ],
    ["one more one by one, and none at the same instant", "open", [round("sequential", 0, 11), round("sequential", 122_000, 10)]],
    // A volley has no pause and asks one endpoint: a service that counts a second, or not every endpoint, limits it all the same.
    ["one more one by one, and none at once", "open", [round("sequential", 0, 11), round("volley", 72_000, 10)]],
    [
      "one more one by one, twice",
      "over",
      [round("sequential", 0, 11), round("volley", 72_000, 10), round("sequential", 144_000, 11)],
    ],
    // A race is chance: that it did not happen again says nothing.
    ["one more at once, and none at another instant", "open", [round("volley", 0, 11), round("volley", 72_000, 10)]],
  ];
  it.each(cases)("%s: %s", (_, kind, rounds) => {
    expect(readAdmission(rounds, terms).kind).toBe(kind);
  });

  it.each([
    ["volley", [round("volley", 0, 11), round("sequential", 250_000, 10)]],
    ["sequential", [round("sequential", 0, 11), round("volley", 72_000, 10)]],
  ] as const)("leaves open what a %s served, and no round of the other kind", (kind, rounds) => {
    const admission = readAdmission(rounds, terms);
    expect(admission.kind === "open" ? [...admission.kinds] : admission.kind).toEqual([kind]);
  });
});
