import type { LoadSecond } from "../../../src/core/result/load-figures.ts";
import { taintBounds } from "../../../src/load/generator/second-series.ts";

/** So many seconds of a steady load, in each of which the event loop was this late at most. */
export function makeSeconds(count: number, perSecond: number, loopDelayMs: (second: number) => number): readonly LoadSecond[] {
  return Array.from({ length: count }, (_, second) => ({
    second,
    offered: perSecond,
    sent: perSecond,
    ok: perSecond,
    limited: 0,
    failed: 0,
    notSent: 0,
    inFlight: 1,
    ttftCount: perSecond,
    ttftP50: null,
    ttftP99: null,
    ttftMax: null,
    dispatchDelayP99: null,
    dispatchDelayMax: 0,
    loopDelayMaxMs: loopDelayMs(second),
    loopUtilization: 0.2,
    tainted: loopDelayMs(second) > taintBounds.loopDelayMs,
  }));
}
