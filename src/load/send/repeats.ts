import { isRepeatable } from "../arrivals/is-repeatable.ts";
import type { LoadProfile } from "../profile/load-profile.ts";

/** Measures seconds again in which the generator was late, so long as the load of the profile stays the same. */
export interface Repeats {
  /** Seconds to send on from this end of the window; 0 when all that can be has been measured again. */
  more(toMs: number): number;
  /** Seconds that were added so far. */
  readonly seconds: number;
}

export interface RepeatInput {
  readonly profile: LoadProfile;
  /** Tainted seconds of the measured window that ends here. */
  readonly taintedUntil: (toMs: number) => number;
  /** Requests that the announced bounds and the budget still hold, with their repetitions. */
  readonly fits: (seconds: number) => boolean;
}

/**
 * A profile is repeated second by second up to its own length: of a load that stays the same any second is as good as any other.
 * Ramps, bursts, traces, conversations and searches are not: a second of them is a place in their course.
 */
export function createRepeats({ profile, taintedUntil, fits }: RepeatInput): Repeats {
  const most = isRepeatable(profile) ? Math.floor(profile.durationSeconds) : 0;
  let added = 0;
  return {
    more(toMs) {
      if (added >= most) return 0;
      let seconds = Math.min(taintedUntil(toMs) - added, most - added);
      while (seconds > 0 && !fits(seconds)) seconds -= 1;
      added += Math.max(0, seconds);
      return Math.max(0, seconds);
    },
    get seconds() {
      return added;
    },
  };
}
