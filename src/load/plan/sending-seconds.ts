import { shapeOf } from "../arrivals/arrival-kinds.ts";
import { isRepeatable } from "../arrivals/is-repeatable.ts";
import type { LoadProfile } from "../profile/load-profile.ts";

/** Seconds of real time in which a profile sends at most. */
export function sendingSeconds(profile: LoadProfile): number {
  const { arrivals, durationSeconds, warmUpSeconds, timeoutSeconds } = profile;
  const shape = shapeOf(arrivals);
  // A level at which the generator was late is tried again, and each begins when the answers to the one before are there.
  if (shape.name === "search") return 2 * (shape.mostSeconds + shape.mostTrials * timeoutSeconds);
  const ownSeconds = shape.name === "open" ? shape.ownSeconds : undefined;
  // Seconds in which the generator is late are sent again.
  return ownSeconds ?? (isRepeatable(profile) ? 2 : 1) * durationSeconds + warmUpSeconds;
}
