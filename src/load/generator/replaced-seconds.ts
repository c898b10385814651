import type { LoadSecond } from "../../core/result/load-figures.ts";

export interface RepeatedWindow {
  readonly seconds: readonly Pick<LoadSecond, "second" | "tainted">[];
  readonly startMs: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** Seconds that were sent beyond the length of the profile. */
  readonly repeated?: number;
}

/** The tainted seconds of the window that others were measured for: what was meant to be sent in them is no part of the figures. */
export function replacedSeconds({ seconds, startMs, fromMs, toMs, repeated = 0 }: RepeatedWindow): ReadonlySet<number> {
  const inside = seconds.filter(
    ({ second, tainted }) => tainted && startMs + 1000 * second >= fromMs && startMs + 1000 * (second + 1) <= toMs,
  );
  return new Set(inside.slice(0, repeated).map(({ second }) => second));
}

/** Milliseconds from the start of the window to an instant, without the seconds that were replaced before it. */
export function placeIn(
  replaced: ReadonlySet<number>,
  { startMs, fromMs }: Pick<RepeatedWindow, "startMs" | "fromMs">,
): (atMs: number) => number {
  const sorted = [...replaced].toSorted((a, b) => a - b);
  return (atMs) => {
    const second = Math.floor((atMs - startMs) / 1000);
    return atMs - fromMs - 1000 * sorted.filter((each) => each < second).length;
  };
}
