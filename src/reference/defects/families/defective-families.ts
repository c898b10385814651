import { createWindowFamily, onTheClock, openedByRequest } from "../../engine/limiter/fixed-window.ts";
import { counting, type CreateCounter, type LimiterFamily } from "../../engine/limiter/limiter-family.ts";
import { slidingLog, type LogState } from "../../engine/limiter/sliding-log.ts";
import { fixedDaily } from "./daily-window.ts";

export type DefectiveFamilyId =
  | "fixed-never-resets"
  | "fixed-refreshed"
  | "fixed-leaking"
  | "fixed-first-free"
  | "fixed-daily"
  | "log-late-cleanup";

/** Counts first and drops expired entries afterwards, so the first request after a pause meets old ones. */
const logLateCleanup: LimiterFamily<LogState> = {
  ...slidingLog,
  id: "log-late-cleanup",
  advance: () => undefined,
  available: (state, config, nowMs) => {
    const seen = config.limit - state.total;
    slidingLog.advance(state, config, nowMs);
    return seen;
  },
};

/** Ways to count that no reading of the specification allows. */
export const defectiveFamilies: Readonly<Record<DefectiveFamilyId, CreateCounter>> = {
  // The count outlives its window.
  "fixed-never-resets": counting(createWindowFamily("fixed-never-resets", { ...onTheClock, carry: (used) => used })),
  // Every request prolongs the window, as EXPIRE after each INCR does.
  "fixed-refreshed": counting(createWindowFamily("fixed-refreshed", { ...openedByRequest, refreshes: true })),
  // Part of the used slots is never returned.
  "fixed-leaking": counting(createWindowFamily("fixed-leaking", { ...onTheClock, carry: (used) => Math.ceil(used / 4) })),
  // The request that opens the window sets the counter to 0 instead of 1.
  "fixed-first-free": counting(
    createWindowFamily("fixed-first-free", {
      ...onTheClock,
      alwaysOpen: false,
      weigh: (state, amount) => (state.startMs === null ? amount - 1 : amount),
    }),
  ),
  "fixed-daily": counting(fixedDaily),
  "log-late-cleanup": counting(logLateCleanup),
};
