import { slowClientMs } from "../../core/exchange/time-out.ts";
import type { LoadRecord } from "./load-record.ts";

/** How late this machine itself was, at most. */
export interface Stalls {
  /** So late at about this instant that what it sent left together, or that a request which it gave up may have been answered. */
  isStalled(atMs: number): boolean;
  /** The most of all delays between these instants, in ms. */
  within(fromMs: number, toMs: number): number;
}

type Ended = Pick<LoadRecord, "outcome" | "status" | "issuedMs" | "sentMs" | "endMs" | "reusedConnection">;

/**
 * Whether a lawful service may have refused or cut off a request because this machine was late: requests that were held up leave together
 * (503, 429), and a client that is slow to send or to read is not waited for (a cut connection, 408).
 */
export function isProvoked({ outcome, status, issuedMs, sentMs, endMs, reusedConnection }: Ended, stalls: Stalls): boolean {
  if (outcome === "ok" || outcome === "not-sent") return false;
  if (status === 503 || status === 429) return stalls.isStalled(issuedMs);
  const isCut = outcome === "transport-error" && reusedConnection !== null;
  return (isCut || status === 408) && stalls.within(sentMs, endMs) >= slowClientMs;
}
