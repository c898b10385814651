import type { ArrivalKind, OpenShape } from "./arrival-kind.ts";
import { constantRate } from "./arrival-times.ts";
import { plannedSends } from "./planned-sends.ts";

export const constantKind: ArrivalKind<"constant"> = {
  defaults: {},
  shape: ({ ratePerSecond }) => steadyRate(ratePerSecond, "even", (window) => `constant ${ratePerSecond}/s${window}`),
};

export const poissonKind: ArrivalKind<"poisson"> = {
  defaults: {},
  shape: ({ ratePerSecond }) => steadyRate(ratePerSecond, "poisson", (window) => `poisson ${ratePerSecond}/s${window}`),
};

export const gammaKind: ArrivalKind<"gamma"> = {
  defaults: {},
  shape: ({ ratePerSecond, shape }) =>
    steadyRate(ratePerSecond, { shape }, (window) => `gamma ${ratePerSecond}/s (shape ${shape})${window}`),
};

function steadyRate(
  perSecond: number,
  gaps: Parameters<typeof plannedSends>[1],
  describe: (window: string) => string,
): OpenShape {
  return {
    name: "open",
    isSteady: true,
    describe,
    schedule: ({ random, durationSeconds, warmUpSeconds }) =>
      plannedSends([{ rate: constantRate(perSecond), seconds: durationSeconds + warmUpSeconds }], gaps, random),
  };
}
