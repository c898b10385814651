import { slowClientMs } from "../../core/exchange/time-out.ts";
import type { LoadRecord } from "./load-record.ts";

/** How late this machine itself was, at most. */
export interface Stalls {
  /** So late at about this instant that what it sent left together, or that a request which it gave up may have been answered. */
  isStalled(atMs: number): boolean;
  /** The most of all delays between these instants, in ms. */
  within(fromMs: number, toMs: number): number;
}

type Ended = Pick<LoadRecord, "outcome" | "notSent" | "status" | "issuedMs" | "sentMs" | "endMs" | "reusedConnection">;

/**
 * Whether a lawful service may have refused or cut off a request because this machine was late, or whether it found no place for that: requests
 * that were held up leave together (503, 429), beside those whose answers were not read yet, and a client that is slow to send or to read is
 * not waited for (a cut connection, 408).
 */
export function isProvoked(request: Ended, stalls: Stalls): boolean {
  const { outcome, notSent, status, issuedMs, sentMs, endMs, reusedConnection } = request;
  if (outcome === "ok") return false;
  if (notSent !== null) return notSent === "max-in-flight" && stalls.isStalled(issuedMs);
  if (status === 503 || status === 429) return stalls.isStalled(issuedMs);
  const isCut = outcome === "transport-error" && reusedConnection !== null;
  return (isCut || status === 408) && stalls.within(sentMs, endMs) >= slowClientMs;
}
