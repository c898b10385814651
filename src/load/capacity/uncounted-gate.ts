import type { CapacityTrial } from "./capacity-trial.ts";

/** A gate of which no request of any trial gave a figure: they show neither that it holds nor that it does not. Null: there is none. */
export function uncountedGate(trials: readonly CapacityTrial[]): string | null {
  const gates = trials[0]?.counts ?? [];
  const place = gates.findIndex((_, criterion) => trials.every(({ counts }) => (counts[criterion]?.counted ?? 0) === 0));
  return gates[place]?.gate ?? null;
}
