import { factsOf } from "../../../core/exchange/exchange-facts.ts";
import type { ProbeTools } from "../../probe/probe-tools.ts";

/** The range in which the clock of the service lies: service minus run clock, milliseconds. */
export interface OffsetEstimate {
  readonly lowMs: number;
  readonly highMs: number;
}

/**
 * Narrows the clock offset by sending so that the answer falls on the expected change of the second in Date: each probe
 * halves what is unknown. Spends no quota.
 */
export async function narrowClock(tools: ProbeTools, probes: number): Promise<OffsetEstimate | null> {
  let lowMs = Number.NEGATIVE_INFINITY;
  let highMs = Number.POSITIVE_INFINITY;
  for (let count = 0; count < probes; count += 1) {
    if (Number.isFinite(lowMs) && lowMs < highMs) {
      const phase = (tools.clock.nowMs() + 300 + (lowMs + highMs) / 2) % 1000;
      await tools.sleep(300 + (1000 - phase), "narrowing the clock offset");
    }
    const { dateMs, timing } = factsOf(await tools.tick());
    if (dateMs === null || timing.headersMs === null) return null;
    lowMs = Math.max(lowMs, dateMs - timing.headersMs);
    highMs = Math.min(highMs, dateMs + 1000 - timing.sentMs);
  }
  return { lowMs, highMs };
}
