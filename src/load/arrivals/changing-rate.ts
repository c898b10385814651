import type { ArrivalKind } from "./arrival-kind.ts";
import { constantRate, linearRate } from "./arrival-times.ts";
import { plannedSends } from "./planned-sends.ts";

export const rampKind: ArrivalKind<"ramp"> = {
  defaults: { gaps: "poisson" },
  shape: ({ fromPerSecond, toPerSecond, gaps }) => ({
    name: "open",
    describe: (window) => `ramp ${fromPerSecond}/s to ${toPerSecond}/s${window}`,
    // The warm-up runs at the first rate, so that the measured window holds the whole ramp.
    schedule({ random, durationSeconds: seconds, warmUpSeconds }) {
      const warmUp = { rate: constantRate(fromPerSecond), seconds: warmUpSeconds };
      const ramp = { rate: linearRate(fromPerSecond, toPerSecond, seconds), seconds };
      return plannedSends(warmUpSeconds > 0 && fromPerSecond > 0 ? [warmUp, ramp] : [ramp], gaps, random);
    },
  }),
};

export const stepsKind: ArrivalKind<"steps"> = {
  defaults: { gaps: "poisson" },
  shape: ({ steps, gaps }) => ({
    name: "open",
    ownSeconds: steps.reduce((sum, { seconds }) => sum + seconds, 0),
    describe: () => `steps ${steps.map(({ ratePerSecond, seconds }) => `${ratePerSecond}/s for ${seconds} s`).join(", ")}`,
    schedule({ random }) {
      const parts = steps.map(({ ratePerSecond, seconds }) => ({ rate: constantRate(ratePerSecond), seconds }));
      return plannedSends(parts, gaps, random);
    },
  }),
};

export const spikeKind: ArrivalKind<"spike"> = {
  defaults: { gaps: "poisson" },
  shape: ({ basePerSecond, peakPerSecond, atSeconds, forSeconds, gaps }) => ({
    name: "open",
    describe: (window) => `${basePerSecond}/s with a spike of ${peakPerSecond}/s at ${atSeconds} s for ${forSeconds} s${window}`,
    contradictions: ({ durationSeconds, warmUpSeconds }) =>
      atSeconds + forSeconds > durationSeconds + warmUpSeconds
        ? [{ path: ["arrivals"], message: "the spike ends after the profile" }]
        : [],
    schedule({ random, durationSeconds, warmUpSeconds }) {
      const base = constantRate(basePerSecond);
      const after = durationSeconds + warmUpSeconds - atSeconds - forSeconds;
      const parts = [
        { rate: base, seconds: atSeconds },
        { rate: constantRate(peakPerSecond), seconds: forSeconds },
        { rate: base, seconds: Math.max(0, after) },
      ];
      return plannedSends(parts, gaps, random);
    },
  }),
};
