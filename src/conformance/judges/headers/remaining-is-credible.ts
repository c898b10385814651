import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { between } from "../../../core/exchange/instant.ts";
import { momentsOf } from "../../../core/exchange/moments.ts";
import { declaredWindowSeconds } from "../../../core/declared-window.ts";
import { apart } from "../../judging/apart.ts";
import { countExpired } from "../../judging/count-expired.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { keySeries } from "../../judging/key-series.ts";
import { isAnswered } from "../../judging/subjects.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";

const requirement = "RATE-043";
/** Fewer answers prove nothing, and neither does a smaller rise: others may use the key, and numbers may be late. */
const answersNeeded = 4;
const riseNeeded = 3;
/** A reset is a whole second; the other one is that by which clocks and readings may be apart. */
const resetSecondMs = 2000;
/** A number that is rounded down still shows something of the greater part of its limit. */
const unusedShare = 0.75;

/**
 * The number that remains is one that a limiter could have: within one window it does not count upwards, it falls where more
 * is served than could be given back, and it is not 0 all the time while hardly anything is used and everything is served.
 * Rounding down, late reading and refilling are lawful.
 */
export const remainingIsCredible: RunJudge = {
  scope: "run",
  id: "remaining-is-credible",
  covers: [requirement],
  conclusive: true,
  *judge(exchanges, { manifest }): Iterable<Occurrence> {
    const readings = exchanges.filter(
      (exchange) => isAnswered(exchange) && exchange.isSuccess && exchange.rateLimit.requests.remaining !== null,
    );
    const windowMs = 1000 * declaredWindowSeconds(manifest);
    const everything = keySeries(exchanges);
    for (const [name, own] of keySeries(readings)) {
      const served = apart(own);
      if (served.length < answersNeeded) continue;
      const problem =
        findRise(served, windowMs, manifest.exclusive ? (everything.get(name) ?? own) : null) ??
        (manifest.exclusive ? findExhaustion(served, windowMs) : null) ??
        findStanding(own, manifest.exclusive, windowMs);
      const cited = (problem?.exchanges ?? served).slice(0, 5).map(({ seq }) => seq);
      const { what = "", observed = "" } = problem ?? {};
      yield passOrFail({ requirement, exchanges: cited }, problem === null, () => ({
        place: name,
        kind: `x-ratelimit-remaining-requests ${what} ()`,
        around: [`x-ratelimit-remaining-requests ${what} (`, ")"],
        expected: "the requests that remain in the window",
        observed,
      }));
    }
  },
};

/** From the sending of one to the end of another, at most. */
function longestMs(from: ExchangeFacts, to: ExchangeFacts): number {
  return between(momentsOf(from).sent, momentsOf(to).ended).mostMs;
}

interface Problem {
  readonly what: string;
  readonly observed: string;
  readonly exchanges: readonly ExchangeFacts[];
}

function remainingOf(exchange: ExchangeFacts): number {
  return exchange.rateLimit.requests.remaining ?? 0;
}

/**
 * A row of answers of one window, by its reset, in which the number only rises, by more than any limiter gives back: a bucket at the rate
 * of its limit, a log each request of `all` when its window is over. null: others use the key as well, whose requests nobody here knows.
 */
function findRise(served: readonly ExchangeFacts[], windowMs: number, all: readonly ExchangeFacts[] | null): Problem | null {
  let run: ExchangeFacts[] = [];
  for (const exchange of served) {
    const last = run.at(-1);
    const goesOn = last !== undefined && isSameWindow(last, exchange) && remainingOf(exchange) > remainingOf(last);
    run = goesOn ? [...run, exchange] : [exchange];
    const [first] = run;
    if (first === undefined || run.length < answersNeeded) continue;
    const { limit } = exchange.rateLimit.requests;
    const elapsedMs = longestMs(first, exchange);
    const refilled = Math.ceil(((limit ?? 0) * elapsedMs) / windowMs);
    const givenBack = Math.max(refilled, expiredBetween(first, exchange, { windowMs, all })) + 1;
    const rise = remainingOf(exchange) - remainingOf(first);
    if (rise >= Math.max(riseNeeded, givenBack + 1)) {
      return { what: "counts upwards within one window", observed: run.map(remainingOf).join(", "), exchanges: run };
    }
  }
  return null;
}

/** Requests that a log may have forgotten between two answers with one reset. */
function expiredBetween(
  first: ExchangeFacts,
  last: ExchangeFacts,
  { windowMs, all }: { readonly windowMs: number; readonly all: readonly ExchangeFacts[] | null },
): number {
  if (all !== null) return countExpired(all, { first, last, windowMs });
  // The reset of a log is the second in which it forgets its oldest request.
  const { leastMs } = between(momentsOf(first).sent, momentsOf(last).ended);
  return leastMs > resetSecondMs ? 0 : Number.POSITIVE_INFINITY;
}

function isSameWindow(one: ExchangeFacts, other: ExchangeFacts): boolean {
  const [first, second] = [one.rateLimit.requests.reset, other.rateLimit.requests.reset];
  return first?.kind === "instant" && second?.kind === "instant" && first.unixMs === second.unixMs;
}

/** Of a limit whose 0 cannot be the rounding of a bucket that holds a tenth of it; a smaller one is held to what it serves (`findStanding`). */
const leastLimit = 100;
/** A number may be read from a cache that is this old. */
const staleMs = 1000;
/** The units that a number may be rounded down to. */
const roundingUnits = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000];

/**
 * The same number at every answer, although more was served meanwhile than a limit can give back and rounding can hide. It may be 0 where
 * others take all that is given back.
 */
function findStanding(own: readonly ExchangeFacts[], exclusive: boolean, windowMs: number): Problem | null {
  const [first] = own;
  const limit = first?.rateLimit.requests.limit ?? null;
  // Of a limit of 1 nothing remains after each request that is served.
  if (first === undefined || limit === null || limit <= 1) return null;
  const standing = remainingOf(first);
  if ((standing === 0 && !exclusive) || own.some((exchange) => remainingOf(exchange) !== standing)) return null;
  const rounding = Math.min(limit / 4, roundingUnits.findLast((unit) => standing % unit === 0) ?? 1);
  for (const [end, last] of own.entries()) {
    let counted = 0;
    for (let start = end - 1; start >= 0; start -= 1) {
      const one = own[start];
      if (one === undefined || between(momentsOf(one).sent, momentsOf(last).sent).mostMs >= windowMs) break;
      if (momentsOf(one).ended.latestMs > momentsOf(last).sent.earliestMs - staleMs) continue;
      counted += 1;
      const givenBack = (limit * longestMs(one, last)) / windowMs + 1;
      if (counted > givenBack + rounding + riseNeeded) {
        return {
          what: "does not fall while requests are served",
          observed: `${standing} at each of ${counted + 1} answers within ${Math.round(longestMs(one, last))} ms, limit ${limit}`,
          exchanges: [one, last],
        };
      }
    }
  }
  return null;
}

/** Nothing remains at any answer, although all were served and our own requests are a small part of the limit. */
function findExhaustion(served: readonly ExchangeFacts[], windowMs: number): Problem | null {
  const [first] = served;
  const limit = first?.rateLimit.requests.limit ?? null;
  if (limit === null || limit < leastLimit || served.some((exchange) => remainingOf(exchange) !== 0)) return null;
  const busiest = Math.max(
    ...served.map(
      (one) =>
        served.filter((other) => {
          const [from, to] = [momentsOf(other).sent, momentsOf(one).sent];
          return from.latestMs > to.earliestMs - windowMs && from.earliestMs <= to.latestMs;
        }).length,
    ),
  );
  return busiest < (1 - unusedShare) * limit
    ? {
        what: "is 0 at every answer although requests are served",
        observed: `0 at each of ${served.length} served requests, ${busiest} of them in a minute at most, limit ${limit}`,
        exchanges: served,
      }
    : null;
}
