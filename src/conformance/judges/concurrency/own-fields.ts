import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import type { Occurrence } from "../../judging/judge.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";
import { readFall } from "./read-fall.ts";

/** Of a reset in seconds, and of the clock that it is read on. */
const resetSlackMs = 2000;

/** The requests of one operation: alone, then in flight with others, then one more. */
export interface AtOnceSeries {
  readonly alone: readonly ExchangeFacts[];
  readonly together: readonly ExchangeFacts[];
  readonly afterwards: ExchangeFacts | undefined;
}

/** How much a limiter may give back between the last request alone and the one afterwards. */
export interface GivingBack {
  /** At the rate of the limit that the last one states; 0 where it states none. */
  readonly refilled: number;
  /** Requests that a log may forget in that time. */
  readonly expired: number;
}

/**
 * Each answer states the window of its own key and operation. It shows where the window is the same before and after: what remains
 * during it lies between what remained before and what remains after, and its reset is theirs. A refusal may state the limit that refused,
 * a cooldown for one.
 */
export function* judgeOwnFields(
  endpoint: EndpointId,
  { alone, together, afterwards }: AtOnceSeries,
  { refilled, expired }: GivingBack,
): Iterable<Occurrence> {
  const [previous, before] = alone.slice(-2);
  if (previous === undefined || before === undefined || afterwards === undefined) return;
  const fall = readFall([previous, before, afterwards]);
  const shownLast = afterwards.rateLimit.requests.remaining;
  // Requests that are refused may be counted at first and given back, and a bucket gives back as time goes by.
  const refused = together.filter(({ isSuccess }) => !isSuccess).length;
  const least = shownLast == null ? null : shownLast - refused - 1 - Math.max(expired, refilled);
  const [reset = null] = fall?.resets ?? [];
  if (fall === null || fall.first !== 1 || fall.resets.size !== 1 || reset === null || least === null) return;
  const most = mostRemaining(alone, reset) + expired;
  if (least > most) return;
  for (const exchange of together) {
    const shown = exchange.rateLimit.requests;
    if (!exchange.isSuccess || shown.remaining == null || shown.reset?.kind !== "instant") continue;
    const isOwn = shown.remaining >= least && shown.remaining <= most && Math.abs(shown.reset.unixMs - reset) <= resetSlackMs;
    const subject = { requirement: "RATE-046", exchanges: [exchange.seq, before.seq, afterwards.seq] };
    yield passOrFail(subject, isOwn, () => ({
      kind: "the rate-limit fields of an answer in flight with others are those of another key or operation",
      expected: `${least} to ${most} remaining until ${instantOf(reset)}, as ${endpoint} answers before and after state`,
      observed: `${shown.remaining} remaining until ${shown.reset?.kind === "instant" ? instantOf(shown.reset.unixMs) : "?"}`,
    }));
  }
}

/** An instance of the service that learns late of the requests to another still shows what remained at first. */
function mostRemaining(alone: readonly ExchangeFacts[], reset: number): number {
  return alone.reduce((most, { rateLimit: { requests } }) => {
    const isSame = requests.reset?.kind === "instant" && requests.reset.unixMs === reset;
    return isSame ? Math.max(most, requests.remaining ?? 0) : most;
  }, 0);
}

function instantOf(unixMs: number): string {
  return new Date(unixMs).toISOString();
}
