import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { between } from "../../../core/exchange/instant.ts";
import { momentsOf } from "../../../core/exchange/moments.ts";
import { describeAnswer } from "../../judging/describe-answer.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { keySeries } from "../../judging/key-series.ts";
import { announcedWaitMs } from "./announced-wait.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";

const minuteSeconds = 60;
/** Two clocks of a service may differ by minutes. */
const clockSeconds = 300;
/** A wait below a second may be one that was rounded down. */
const roundingMs = 1000;

/**
 * Waits of refusals by a limit, as far as a short run shows them: one of no time at all after which the same limit refuses again,
 * and one that no window of this limit could need. The limits exam keeps longer waits and tries them.
 */
export const announcedWaits: RunJudge = {
  scope: "run",
  id: "announced-waits",
  covers: ["RATE-044"],
  *judge(exchanges): Iterable<Occurrence> {
    for (const own of keySeries(exchanges.filter(({ response }) => response !== null)).values()) {
      yield* judgeNoWait(own);
      yield* judgeLongWait(own);
    }
  },
};

function* judgeNoWait(own: readonly ExchangeFacts[]): Iterable<Occurrence> {
  for (const [index, refusal] of own.entries()) {
    const waitMs = refusal.status === 429 && refusal.rejectCause !== "spend" ? announcedWaitMs(refusal, "longest") : null;
    const next = own[index + 1];
    if (waitMs === null || waitMs >= roundingMs || next === undefined) continue;
    const keptMs = between(momentsOf(refusal).ended, momentsOf(next).sent).leastMs;
    if (keptMs < waitMs + roundingMs) continue;
    const subject = { requirement: "RATE-044", exchanges: [refusal.seq, next.seq] };
    if (next.isSuccess) yield { ...subject, outcome: "pass" };
    else if (isRefusedAgain(refusal, next)) {
      yield {
        ...subject,
        outcome: "fail",
        // Twice in a row: the state is the same, which it need not be when the case is repeated.
        conclusive: isRefusedAgain(refusal, own[index + 2]),
        kind: "the wait that a refusal announces is none at all, and the same limit refuses again after it",
        expected: "service after the announced wait",
        observed: `a wait of ${waitMs / 1000} s, and ${describeAnswer(next)} ${(keptMs / 1000).toFixed(1)} s later`,
      };
    }
  }
}

function isRefusedAgain(refusal: ExchangeFacts, next: ExchangeFacts | undefined): boolean {
  return next !== undefined && next.status === 429 && next.rejectCause === refusal.rejectCause;
}

function* judgeLongWait(own: readonly ExchangeFacts[]): Iterable<Occurrence> {
  const untilReset = (exchange: ExchangeFacts): number | null => {
    const { reset } = exchange.rateLimit.requests;
    const isInstant = reset?.kind === "instant" && reset.format === "unix-seconds";
    return isInstant ? reset.unixMs / 1000 - exchange.targetNowSeconds : null;
  };
  const windowSeconds = Math.max(minuteSeconds, ...own.map((exchange) => untilReset(exchange) ?? 0));
  for (const refusal of own) {
    const [resetSeconds, waitMs] = [untilReset(refusal), announcedWaitMs(refusal, "shortest")];
    if (refusal.status !== 429 || refusal.rejectCause !== "requests" || resetSeconds === null || waitMs === null) continue;
    const mostSeconds = Math.max(0, resetSeconds) + windowSeconds + clockSeconds;
    const subject = { requirement: "RATE-044", exchanges: [refusal.seq] };
    yield passOrFail(subject, waitMs / 1000 <= mostSeconds, () => ({
      kind: "the wait that a refusal by the request limit announces goes far beyond the reset of its window",
      expected: `about ${Math.max(0, Math.round(resetSeconds))} seconds (x-ratelimit-reset-requests)`,
      observed: `${waitMs / 1000} seconds`,
    }));
  }
}
