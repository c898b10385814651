import type { Clock } from "../../../core/clock.ts";
import type { AgentClock } from "../../../core/result/generator-health.ts";
import { clockErrorMs, type ClockExchange, createClockInterval } from "../clock/clock-interval.ts";

/** The run clock of the coordinator, as an agent reads it off its own. */
export interface FollowedClock extends Clock {
  observe(exchange: ClockExchange): void;
  /** Chooses the offset with which every instant from here on is carried over. It stays: latencies must not jump. */
  settle(): void;
  /** By how much an instant of this clock may be wrong. */
  errorMs(atMs: number): number;
  describe(): AgentClock | null;
}

export interface FollowedClockOptions {
  readonly local: Clock;
  /** Unix milliseconds at zero of the run clock: wall clocks of agents are not asked. */
  readonly wallAtZeroMs: number;
}

export function createFollowedClock({ local, wallAtZeroMs }: FollowedClockOptions): FollowedClock {
  const interval = createClockInterval();
  let shiftMs: number | null = null;
  let worstMs = 0;
  let exchanges = 0;
  let contradictions = 0;
  const nowMs = (): number => local.nowMs() + (shiftMs ?? 0);
  const errorAt = (hereMs: number): number => {
    const known = interval.at(hereMs);
    return known === null || shiftMs === null ? Infinity : clockErrorMs(known, shiftMs);
  };
  return {
    nowMs,
    wallMs: () => wallAtZeroMs + nowMs(),
    sleep: (ms, signal) => local.sleep(ms, signal),
    observe(exchange) {
      exchanges += 1;
      // Until the exchange the interval was at its widest.
      if (shiftMs !== null) worstMs = Math.max(worstMs, errorAt(exchange.heardMs));
      if (!interval.observe(exchange)) contradictions += 1;
      if (shiftMs !== null) worstMs = Math.max(worstMs, errorAt(exchange.heardMs));
    },
    settle() {
      const known = interval.at(local.nowMs());
      if (known === null) throw new Error("the clock of the coordinator is not known");
      shiftMs = (known.lowMs + known.highMs) / 2;
      worstMs = errorAt(local.nowMs());
    },
    errorMs: (atMs) => Math.max(errorAt(atMs - (shiftMs ?? 0)), errorAt(local.nowMs())),
    describe() {
      const known = interval.at(local.nowMs());
      return known === null ? null : { ...known, errorMs: worstMs, exchanges, contradictions };
    },
  };
}
