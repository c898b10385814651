import { bodyBounds, type BoundedTarget } from "../body-bounds.ts";
import type { Exchange, TimeBound, TransportFailure } from "./exchange.ts";
import { isCut } from "./is-cut.ts";

/** The conclusion about the target from a deadline of ours that passed. */
export interface TimeOut {
  /** Nothing at all came for as long as the manifest allows, and the instrument was awake: seen again, it is the target's. */
  readonly isSilence: boolean;
  /** Why it says nothing, or what was waited for in vain. */
  readonly reason: string;
}

/** No server gives its clients less time to send and to read, in ms. */
export const slowClientMs = 1000;

/**
 * A service may close the connection of a client that sends or reads too slowly, and a thread that was late for so long is one: why an
 * answer that was cut shows nothing about it. null: it was not cut, or the thread was awake as far as is known.
 */
export function readSlowClient({ failure, timing: { lateMs } }: Pick<Exchange, "failure" | "timing">): string | null {
  if (failure === null || !isCut(failure) || lateMs === undefined || lateMs < slowClientMs) return null;
  return `${failure.message}; ${wasLate(lateMs)}, and a service may close the connection of a client that is slow`;
}

function wasLate(lateMs: number): string {
  return `the instrument itself was late by up to ${(lateMs / 1000).toFixed(1)} s`;
}

/** A thread that was late by more than this share of the deadline gave the target that much less of it. */
const lateShare = 0.1;

/** null: no deadline of ours ended it. */
export function readTimeOut({ failure, timing }: Pick<Exchange, "failure" | "timing">, target: BoundedTarget): TimeOut | null {
  if (failure === null || !timeOuts.has(failure.kind)) return null;
  const { bound, message } = failure;
  const { lateMs } = timing;
  const open = (why: string): TimeOut => ({ isSilence: false, reason: `${message}; ${why}` });
  if (bound === undefined) return open("an older record does not say which deadline passed");
  const statedMs = statedBound(bound.until, target);
  if (statedMs === null) return open("what takes longer than a deadline of ours is no violation");
  if (bound.ms < statedMs) return open(`the manifest allows ${statedMs / 1000} s`);
  if (lateMs === undefined) return open("how late the instrument was is not known");
  if (lateMs > lateShare * bound.ms) return open(wasLate(lateMs));
  return { isSilence: true, reason: message };
}

const timeOuts: ReadonlySet<TransportFailure["kind"]> = new Set(["timeout", "stream-timeout", "connect-timeout"]);

/** How long nothing may come; null: it was still coming, or there was no connection. */
function statedBound(until: TimeBound["until"], target: BoundedTarget): number | null {
  if (until === "head") return target.timeoutMs;
  return until === "bytes" ? bodyBounds(target).bodyIdleMs : null;
}
