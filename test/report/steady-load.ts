import type { ProgressEvent } from "../../src/core/progress.ts";

/** Load under way, as a profile reports it each second. */
export const steadyLoad: Extract<ProgressEvent, { readonly kind: "load" }> = {
  kind: "load",
  profile: "steady",
  elapsedMs: 41_000,
  durationMs: 180_000,
  offeredPerSecond: 20,
  achievedPerSecond: 19.8,
  inFlight: 21,
  ttftP50: 182,
  ttftMax: 640,
  dispatchDelayMax: 1.9,
  loopUtilization: 0.16,
};
