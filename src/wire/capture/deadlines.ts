import type { TimeBound } from "../../core/exchange/exchange.ts";
import type { LeaveRule } from "./leave-rule.ts";

export interface Deadlines {
  /** Until the response head. */
  readonly timeoutMs: number;
  /** Between two reads of the body. */
  readonly idleTimeoutMs: number;
  /** Until the last byte. */
  readonly totalTimeoutMs: number;
  /** When the client goes away on purpose; null: it stays. */
  readonly leave: LeaveRule | null;
  /** The owner of the deadlines, for messages: `this profile`. */
  readonly owner: string;
}

/** How long was waited for what had to come. */
export function deadlineOf(until: TimeBound["until"], { timeoutMs, idleTimeoutMs, totalTimeoutMs }: Deadlines): number {
  if (until === "connection" || until === "head") return timeoutMs;
  return until === "end" ? totalTimeoutMs : idleTimeoutMs;
}
