import type { Clock } from "../../src/core/clock.ts";
import type { ServiceClock } from "../../src/reference/clock/service-clock.ts";

/** What one reading of the clock costs, ms: instants differ and keep their order, and nothing depends on the speed of a machine. */
const readingMs = 0.01;

/**
 * The clock of a service in this process, moved by hand: `sleep` advances it, and between two sleeps time passes only by being
 * read. Same order of requests, same instants. One sleeper at a time, as the exams are on a virtual clock.
 */
export function createHandClock(service: ServiceClock): Clock {
  const bornMs = service.wallMs();
  let elapsedMs = 0;
  const nowMs = (): number => (elapsedMs += readingMs);
  return {
    nowMs,
    wallMs: () => bornMs + nowMs(),
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      elapsedMs += Math.max(0, ms);
      await service.advance(Math.max(0, bornMs + elapsedMs - service.wallMs()));
    },
  };
}
