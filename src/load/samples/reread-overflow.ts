import type { ServiceLevel } from "../profile/load-profile.ts";
import { type CountedValues, countValue, createCountedValues } from "../statistics/counted-values.ts";
import type { Totals } from "./count-totals.ts";
import type { CountedFigure, Overflow, OverflowSecond } from "./overflow.ts";
import type { Extreme, LoopDelays } from "./reread-record.ts";

/**
 * The counts beside the records with each time at an end of what it can have been. Nobody knows when each of them was read: all are
 * moved by the longest delay of the loop, and as many answers are good as these delays can have made or hidden.
 */
export function rereadOverflow(overflow: Overflow, extreme: Extreme, delays: LoopDelays, slo: ServiceLevel): Overflow {
  const moves = movesOf(overflow, extreme, delays);
  const figures = new Map([...overflow.figures].map(([key, figure]) => [key, moveFigure(figure, moves)]));
  const stalled = extreme === "shortest" ? countStalled(overflow, delays) : { failed: 0, limited: 0, notSent: 0 };
  const totals = new Map(
    [...overflow.totals].map(([endpoint, read]) => {
      const own = [...overflow.figures.values()].filter((figure) => figure.endpoint === endpoint && figure.outcome === "ok");
      return [endpoint, rereadTotals(read, { turned: countTurned(own, moves, slo), stalled, extreme })];
    }),
  );
  return { ...overflow, figures, totals };
}

/** A value of a metric at that end. */
type Moves = (metric: CountedFigure["metric"], value: number) => number;

/** Longer than any answer is waited for, in ms, and more tokens a second than any machine makes. */
const most = 1e9;

function movesOf({ figures, lateness, firstTokenIntervals }: Overflow, extreme: Extreme, { mostMs }: LoopDelays): Moves {
  if (extreme === "longest") {
    const byMs = Math.min(mostMs, most);
    const firstMs = Math.min(byMs, Math.max(0, firstTokenIntervals.max));
    return (metric, value) => {
      if (metric === "tpot") return value + (firstTokenIntervals.count > 0 ? firstMs : byMs);
      return metric === "inter-chunk" || metric === "inter-token" || metric === "longest-stall" ? value + byMs : value;
    };
  }
  const answers = [...figures.values()].filter(({ metric }) => metric === "service-latency");
  const leastMs = answers.reduce((least, { values }) => Math.min(least, values.min), Infinity);
  return (metric, value) => {
    // The generator's own doing.
    if (metric === "dispatch-delay" || metric === "connect") return value;
    if (metric === "tokens-per-second") return mostMs < leastMs ? (value * leastMs) / (leastMs - mostMs) : most;
    // The lateness of the send is no wait of a user.
    return Math.max(0, value - mostMs - (metric === "user-latency" ? Math.max(0, lateness.max) : 0));
  };
}

function moveFigure(figure: CountedFigure, moves: Moves): CountedFigure {
  return { ...figure, values: moveValues(figure.values, (value) => moves(figure.metric, value)) };
}

function moveValues(read: CountedValues, move: (value: number) => number): CountedValues {
  const moved = createCountedValues();
  for (const [bucket, count] of read.buckets) {
    // One counts the bucket, the others are added to it.
    const one = createCountedValues();
    countValue(one, move(Math.min(read.max, Math.max(read.min, bucket / 1000))));
    for (const [at] of one.buckets) moved.buckets.set(at, (moved.buckets.get(at) ?? 0) + count);
    moved.count += count;
    moved.sum += count * one.sum;
    moved.min = Math.min(moved.min, one.min);
    moved.max = Math.max(moved.max, one.max);
  }
  return moved;
}

const levels = [
  ["ttft", "ttftMs"],
  ["tpot", "tpotMs"],
  ["user-latency", "userLatencyMs"],
] as const;

/** Values that are on the other side of their bound at this end. */
function countTurned(figures: readonly CountedFigure[], moves: Moves, slo: ServiceLevel): number {
  let turned = 0;
  for (const [metric, level] of levels) {
    const bound = slo[level];
    if (bound === null) continue;
    for (const figure of figures) {
      if (figure.metric !== metric) continue;
      for (const [bucket, count] of figure.values.buckets) {
        const value = bucket / 1000;
        if (value <= bound !== moves(metric, value) <= bound) turned += count;
      }
    }
  }
  return turned;
}

type Stalled = Pick<OverflowSecond, "failed" | "limited" | "notSent">;

interface Turned {
  readonly turned: number;
  readonly stalled: Stalled;
  readonly extreme: Extreme;
}

function rereadTotals(read: Totals, { turned, stalled, extreme }: Turned): Totals {
  const { good, maybeGood, outcomes, errors, certainErrors, rejects, notSent } = read;
  const { ok = 0, interrupted = 0, "timed-out": timedOut = 0, "not-sent": unsent = 0 } = outcomes;
  const dropped = Math.min(stalled.notSent, notSent["max-in-flight"] ?? 0);
  const givenUp = Math.min(stalled.failed, timedOut);
  const failed = Math.min(stalled.failed, errors - certainErrors);
  const refused = Math.min(stalled.limited, rejects);
  return {
    ...read,
    errors: errors - failed,
    rejects: rejects - refused,
    good: extreme === "shortest" ? good + Math.min(turned, Math.max(0, ok - good - maybeGood)) : good - Math.min(turned, good),
    maybeGood: maybeGood + failed + refused + dropped,
    outcomes: {
      ...outcomes,
      "timed-out": timedOut - givenUp,
      "not-sent": unsent - dropped,
      interrupted: interrupted + Math.min(stalled.failed, givenUp + failed) + refused + dropped,
    },
  };
}

/** Requests that failed, were refused or found no place in seconds in which the loop stood still: so many may have been for that. */
function countStalled({ seconds }: Overflow, delays: LoopDelays): Stalled {
  const stalled = { failed: 0, limited: 0, notSent: 0 };
  for (const [second, counted] of seconds) {
    if (!delays.isStalledIn(second)) continue;
    stalled.failed += counted.failed;
    stalled.limited += counted.limited;
    stalled.notSent += counted.notSent;
  }
  return stalled;
}
