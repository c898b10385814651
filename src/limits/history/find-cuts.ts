import { findAbsences } from "../../core/ends/find-absences.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { isCut } from "../../core/exchange/is-cut.ts";
import { isHeldUpload } from "../../core/exchange/is-cut-upload.ts";
import { bySending, momentsOf } from "../../core/exchange/moments.ts";
import { readSlowClient } from "../../core/exchange/time-out.ts";

/**
 * The instants from which on the service was seen away for everybody, or to begin anew, ms on the run clock, rising: it refused connections,
 * said to requests with keys and without that it is away, and for how long, or ended all that was under way at once. One for each.
 */
export function findCuts(exchanges: readonly Exchange[]): readonly number[] {
  const absent = findAbsences(exchanges);
  const ended = findEndedAtOnce(exchanges);
  const cuts: number[] = [];
  let isAway = false;
  for (const exchange of exchanges.toSorted(bySending)) {
    if (absent.has(exchange.seq) || exchange.failure?.kind === "connect-refused") {
      if (!isAway) cuts.push(momentsOf(exchange).sent.earliestMs);
      isAway = true;
    } else if (exchange.response !== null) isAway = false;
  }
  return [...cuts, ...ended].toSorted((one, other) => one - other);
}

/** So many milliseconds at most lie between the ends of connections that are cut at once. */
const atOnceMs = 250;

/**
 * The instants at which the connections of requests with different keys, or without, were cut at once while nothing that was under way was
 * answered afterwards. A service that cuts one connection here and there, or those of one key, goes on, and remembers.
 */
function findEndedAtOnce(exchanges: readonly Exchange[]): readonly number[] {
  const found: number[] = [];
  const cut = exchanges.filter(isCutByService).map((exchange) => ({ ...momentsOf(exchange), keyName: exchange.keyName }));
  const byEnd = cut.toSorted((one, other) => one.ended.latestMs - other.ended.latestMs);
  for (let next = 0; next < byEnd.length;) {
    const first = byEnd[next]!.ended;
    const near = byEnd.slice(next).filter(({ ended }) => ended.latestMs <= first.latestMs + atOnceMs);
    const together = near.filter(({ sent }) => sent.earliestMs < first.latestMs);
    const lastMs = Math.max(...together.map(({ ended }) => ended.latestMs));
    const isSurvivor = (exchange: Exchange): boolean => {
      const { sent, ended } = momentsOf(exchange);
      return exchange.failure === null && sent.latestMs < first.earliestMs && ended.earliestMs > lastMs;
    };
    const callers = new Set(together.map(({ keyName }) => keyName));
    if (callers.size > 1 && !exchanges.some(isSurvivor)) found.push(first.earliestMs);
    next += near.length;
  }
  return found;
}

/** It has a cause in no wrong request, in no body that was held back, and in no client that was slow. */
function isCutByService(exchange: Exchange): boolean {
  const { failure, intent } = exchange;
  if (failure === null || !isCut(failure) || readSlowClient(exchange) !== null) return false;
  return intent.kind === "limit" ? !isHeldUpload(intent) : intent.kind !== "violates" && intent.kind !== "probe-unspecified";
}
