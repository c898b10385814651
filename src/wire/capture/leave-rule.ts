import type { SendRequest } from "../../core/exchange/send-request.ts";
import { LeaveError } from "../http/transport-error.ts";

/** When a client goes away on purpose: whatever comes first. */
export interface LeaveRule {
  /** Bytes of content; 0: with the head. */
  readonly bytes: number;
  /** Events of a stream; 0: with its head. */
  readonly events: number;
  /** Milliseconds after the request was sent. */
  readonly ms: number;
}

/** Null for a client that stays. */
export function leaveRuleOf({ leaveAfterBytes, leaveAfterEvents, leaveAfterMs }: SendRequest): LeaveRule | null {
  if (leaveAfterBytes === undefined && leaveAfterEvents === undefined && leaveAfterMs === undefined) return null;
  return { bytes: leaveAfterBytes ?? Infinity, events: leaveAfterEvents ?? Infinity, ms: leaveAfterMs ?? Infinity };
}

/** Why the client goes now that so much has come; null: it stays. `events`: below 0 where no stream of events came. */
export function leavesAt(rule: LeaveRule | null, bytes: number, events: number): LeaveError | null {
  if (rule === null) return null;
  const isDue = events >= rule.events;
  if (!isDue && bytes < rule.bytes) return null;
  if (bytes === 0) return new LeaveError("the head");
  return new LeaveError(isDue ? (events === 1 ? "1 event" : `${events} events`) : `${bytes} bytes`);
}
