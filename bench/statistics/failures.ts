import type { Random } from "../../src/core/random.ts";
import { queueServers } from "./queues.ts";

/** A figure of each request, in the order of arrivals: 1 for a failure and 0 for none, or tokens. */
export interface FigureSource {
  readonly name: string;
  /** The mean of the figure in the long run. */
  readonly truth: number;
  /** Nothing failed in such a run, although requests of this source fail at times. */
  readonly isBlind: (values: Float64Array) => boolean;
  readonly start: (random: Random) => () => number;
}

function allWell(values: Float64Array): boolean {
  return values.every((value) => value === 0);
}

function exponential(random: Random, mean: number): number {
  return -mean * Math.log(1 - random.next());
}

/** A service that is away for `length` requests on average, a share `down` of the time; of the requests meanwhile a share `failing` fails. */
function outages(down: number, length: number, failing = 1): FigureSource {
  const start = (random: Random): (() => number) => {
    let isDown = random.next() < down;
    const stay = (): number => exponential(random, isDown ? length : (length * (1 - down)) / down);
    let left = stay();
    return () => {
      for (let gap = exponential(random, 1); ; isDown = !isDown, gap -= left, left = stay()) {
        if (gap > left) continue;
        left -= gap;
        return isDown && random.next() < failing ? 1 : 0;
      }
    };
  };
  const share = failing === 1 ? "" : `, ${100 * failing} % fail`;
  return { name: `outages of ${length}${share}, ${100 * down} %`, truth: down * failing, isBlind: allWell, start };
}

/** Rejects of M/M/8 where so many wait at most. */
function rejects(load: number, waiting: number): FigureSource {
  const places = queueServers + waiting;
  const weights = [1];
  for (let at = 1; at <= places; at += 1)
    weights.push(((weights.at(-1) ?? 0) * queueServers * load) / Math.min(at, queueServers));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const start = (random: Random): (() => number) => {
    let inside = 0;
    const next = (): number => {
      let gap = exponential(random, 1 / (queueServers * load));
      while (inside > 0) {
        gap -= exponential(random, 1 / Math.min(inside, queueServers));
        if (gap < 0) break;
        inside -= 1;
      }
      if (inside === places) return 1;
      inside += 1;
      return 0;
    };
    for (let skipped = 0; skipped < 2000; skipped += 1) next();
    return next;
  };
  return { name: `M/M/8, ${waiting} wait, load ${load}`, truth: (weights.at(-1) ?? 0) / all, isBlind: allWell, start };
}

function independent(share: number): FigureSource {
  return {
    name: `independent, ${100 * share} %`,
    truth: share,
    isBlind: allWell,
    start: (random) => () => (random.next() < share ? 1 : 0),
  };
}

/** Shares of requests that fail or are refused. */
export const failures: readonly FigureSource[] = [
  independent(0.01),
  independent(0.2),
  ...[5, 20, 100].flatMap((length) => [0.01, 0.05, 0.2].map((down) => outages(down, length))),
  outages(0.2, 20, 0.3),
  ...[0.8, 0.9, 1.1, 1.5].map((load) => rejects(load, 8)),
  ...[0.9, 1.1].map((load) => rejects(load, 40)),
];

/** Tokens of requests of which so many after each other are alike, on average. */
function alike(length: number): FigureSource {
  return {
    name: `tokens, ${length} alike`,
    truth: 1,
    isBlind: () => false,
    start(random) {
      let level = 1;
      const draw = (): number => exponential(random, 1);
      level = draw();
      return () => {
        if (random.next() < 1 / length) level = draw();
        return level * (0.5 + random.next());
      };
    },
  };
}

/** Tokens of a service that is away at times, and of each request by itself. */
function interrupted(down: number, length: number): FigureSource {
  const away = outages(down, length);
  return {
    name: `tokens, ${away.name}`,
    truth: 1 - down,
    isBlind: (values) => values.every((value) => value > 0),
    start(random) {
      const fails = away.start(random.fork("away"));
      return () => exponential(random, 1) * (1 - fails());
    },
  };
}

/** Means of tokens: a rate of tokens is that of the schedule times such a mean. */
export const tokens: readonly FigureSource[] = [alike(1), alike(8), alike(40), interrupted(0.05, 20), interrupted(0.2, 100)];
