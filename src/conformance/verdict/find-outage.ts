import type { Exchange } from "../../core/exchange/exchange.ts";

/** A target that fell silent, or into maintenance, and did not come back before the run ended. */
export interface Outage {
  /** Sequence numbers of the requests that show nothing about the target but that it was away. */
  readonly seqs: ReadonlySet<number>;
  /** No request before them was answered. */
  readonly isWhole: boolean;
  readonly reason: string;
}

/** Fewer failures in a row at the end of a run may have a cause of their own. */
const leastRequests = 5;
/** More than a run ever has in flight at once, but for load. */
const requestsInFlight = 32;
const unavailable: ReadonlySet<number> = new Set([502, 503, 504]);
const silent: ReadonlySet<string> = new Set(["connect-refused", "dns", "connect-timeout", "timeout", "connection-closed"]);

/**
 * The requests at the end of a record to which the target answered 502, 503, 504 or nothing, where there are enough of them, or
 * where there is nothing else; null when it answered to the last. The answers of a target in maintenance say nothing about its
 * conformance. Requests that ask for such an answer are left out.
 */
export function findOutage(exchanges: readonly Exchange[]): Outage | null {
  const decisive = exchanges.filter((exchange) => !asksForFailure(exchange)).toSorted((one, other) => one.seq - other.seq);
  const lastAlive = decisive.findLastIndex(isAlive);
  const after = decisive.slice(lastAlive + 1);
  if (after.length === 0 || (lastAlive >= 0 && after.length < leastRequests)) return null;
  // Requests in flight when it went away may have been sent before the last request that it answered.
  const inFlight = decisive
    .slice(Math.max(0, lastAlive - requestsInFlight), Math.max(0, lastAlive))
    .filter((one) => !isAlive(one));
  const away = [...inFlight, ...after];
  const [first] = away;
  const what = [...new Set(away.map(({ response }) => (response === null ? "not at all" : String(response.status))))];
  const since = lastAlive < 0 ? "the target was away for the whole run" : `the target stopped answering at #${first?.seq ?? 0}`;
  return {
    seqs: new Set(away.map(({ seq }) => seq)),
    isWhole: lastAlive < 0,
    reason: `${since}: ${away.length} ${away.length === 1 ? "request was" : "requests were"} answered ${what.join(", ")}; run again when it is back`,
  };
}

/** Whether an exchange shows a service at work: any answer but that of a gateway or of maintenance, also a broken one. */
export function isAlive({ response, failure }: Exchange): boolean {
  return response === null ? failure !== null && !silent.has(failure.kind) : !unavailable.has(response.status);
}

/** A fault that was asked for, and a request that we broke off or did not send, say nothing. */
function asksForFailure({ intent, failure }: Exchange): boolean {
  return (
    (intent.kind === "violates" && intent.condition === "fault-trigger") ||
    failure?.kind === "aborted" ||
    failure?.kind === "budget"
  );
}
