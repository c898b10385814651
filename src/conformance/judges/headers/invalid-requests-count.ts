import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { momentsOf } from "../../../core/exchange/moments.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { keySeries } from "../../judging/key-series.ts";

/** So many successes have to show a step of one before a step of another request means anything. */
const stepsNeeded = 3;

/**
 * Whether requests that failed validation use up the request window (open question RATE-035). Only neighbours that did not
 * overlap and name the same reset are compared, and only where each success takes exactly one: a window that refills or is
 * used by somebody else proves nothing.
 */
export const invalidRequestsCount: RunJudge = {
  scope: "run",
  id: "invalid-requests-count",
  covers: ["RATE-035"],
  *judge(exchanges): Iterable<Occurrence> {
    for (const series of keySeries(exchanges).values()) {
      const steps = stepsOf(series);
      const served = steps.filter(({ exchange }) => exchange.isSuccess);
      if (served.length < stepsNeeded || served.some(({ step }) => step !== 1)) continue;
      for (const { exchange, step } of steps) {
        if (exchange.status !== 422 || step < 0 || step > 1) continue;
        const answer = step === 1 ? "a request answered 422 counts" : "a request answered 422 does not count";
        yield { requirement: "RATE-035", outcome: "observed", exchanges: [exchange.seq], answer };
      }
    }
  },
};

interface Step {
  readonly exchange: ExchangeFacts;
  /** By how much the number that remains fell. */
  readonly step: number;
}

/** Each request that follows another of the same window and overlaps none. */
function stepsOf(series: readonly ExchangeFacts[]): readonly Step[] {
  const steps: Step[] = [];
  let busyUntilMs = Number.NEGATIVE_INFINITY;
  let before: ExchangeFacts | null = null;
  for (const exchange of series) {
    if (before !== null && busyUntilMs <= momentsOf(exchange).sent.earliestMs) {
      const step = stepBetween(before, exchange);
      if (step !== null) steps.push({ exchange, step });
    }
    busyUntilMs = Math.max(busyUntilMs, momentsOf(exchange).ended.latestMs);
    before = exchange;
  }
  return steps;
}

/** null where the two do not compare. */
function stepBetween(before: ExchangeFacts, exchange: ExchangeFacts): number | null {
  const [one, other] = [before.rateLimit.requests, exchange.rateLimit.requests];
  if (one.remaining === null || other.remaining === null) return null;
  return one.reset !== null && one.reset.raw === other.reset?.raw ? one.remaining - other.remaining : null;
}
