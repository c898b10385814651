import { setMaxListeners } from "node:events";
import type { RunOptions } from "./run-options.ts";

/** Bounds how long a run takes, whatever its target does: each wait has a bound, and a thousand of them are still long. */
export interface TimeBound {
  /** The options with a signal that also fires when the time is used up. */
  readonly options: RunOptions;
  readonly minutes: number;
  readonly isExceeded: () => boolean;
  /** Load has a duration of its own: it is bounded only where the manifest says so. */
  readonly beginLoad: () => void;
  readonly release: () => void;
}

const defaultMinutes = 120;

export function boundTime(asked: RunOptions): TimeBound {
  const declared = asked.manifest?.budget.maxMinutes ?? null;
  const minutes = declared ?? defaultMinutes;
  const exceeded = new AbortController();
  const timer = setTimeout(() => exceeded.abort(), 60_000 * minutes).unref();
  const signal = AbortSignal.any([asked.signal, exceeded.signal]);
  setMaxListeners(0, signal);
  return {
    options: { ...asked, signal },
    minutes,
    isExceeded: () => exceeded.signal.aborted,
    beginLoad() {
      if (declared === null) clearTimeout(timer);
    },
    release: () => clearTimeout(timer),
  };
}
