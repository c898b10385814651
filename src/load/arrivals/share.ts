import { shapeOf } from "../arrivals/arrival-kinds.ts";
import type { LoadProfile } from "../profile/load-profile.ts";

/** One of `count` workers that send a profile together; it takes every `count`-th send of the one schedule. */
export interface Share {
  readonly index: number;
  readonly count: number;
}

export const wholeProfile: Share = { index: 0, count: 1 };

/** How much of `total` a share gets, so that all shares sum up to it. */
export function portion(total: number, { index, count }: Share): number {
  return Math.floor(total / count) + (index < total % count ? 1 : 0);
}

/** Every send of a schedule that falls to a share: the `index`-th and then every `count`-th. */
export function dealSends<Send>(sends: readonly Send[], { index, count }: Share): readonly Send[] {
  return count === 1 ? sends : sends.filter((_, position) => position % count === index);
}

/**
 * The profile as one worker sends it: numbers that hold at one time are split, what is a rate or a schedule stays whole. A burst of
 * errors is reported from a share of the answers.
 */
export function profileOfShare(profile: LoadProfile, share: Share): LoadProfile {
  if (share.count === 1) return profile;
  const { arrivals, abort } = profile;
  const shape = shapeOf(arrivals);
  return {
    ...profile,
    arrivals: shape.name === "loop" ? shape.withConcurrency(portion(shape.concurrency, share)) : arrivals,
    maxInFlight: Math.max(1, portion(profile.maxInFlight, share)),
    abort: { ...abort, minimum: Math.max(1, Math.ceil(abort.minimum / share.count)) },
  };
}
