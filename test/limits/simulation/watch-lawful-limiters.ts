import { assert, asyncProperty, constantFrom, integer, record } from "fast-check";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { createRandom, type Random } from "../../../src/core/random.ts";
import { disturbances } from "./disturbances.ts";
import { lawfulLimiters } from "./lawful-limiters.ts";
import { loadRequests } from "./load-requests.ts";
import { serveRequests } from "./request-service.ts";
import { createSimulation, type Simulation } from "./simulator.ts";

export interface WatchedTraffic {
  readonly limit: number;
  readonly windowMs: number;
  readonly numRuns: number;
  readonly drive: (simulation: Simulation, random: Random, seed: number) => Promise<void>;
  /** Given what was sent after the watch began; `title` names the limiter, the disturbance and the seed. */
  readonly expectLawful: (seen: readonly Exchange[], title: string) => void;
}

/** Traffic that a watch joins late, on every lawful limiter under every disturbance that it may be seen through. */
export async function watchLawfulLimiters(traffic: WatchedTraffic): Promise<void> {
  const { limit, windowMs, numRuns, drive, expectLawful } = traffic;
  const cases = record({
    limiter: constantFrom(...lawfulLimiters),
    disturbance: constantFrom(...disturbances),
    seed: integer({ min: 1, max: 1_000_000 }),
  });
  await assert(
    asyncProperty(cases, async ({ limiter, disturbance, seed }) => {
      if (disturbance.skip?.includes(limiter.id)) return;
      const random = createRandom(seed);
      const service = serveRequests(limiter.create(limit, windowMs), disturbance.style);
      const simulation = createSimulation(seed, service, disturbance.network);
      await simulation.sender.burst(loadRequests(random.integer(0, 70)));
      const unseen = simulation.exchanges.length;
      await simulation.clock.sleep(random.next() * 1.2 * windowMs);
      await drive(simulation, random, seed);
      expectLawful(simulation.exchanges.slice(unseen), `${limiter.id} under ${disturbance.id}, seed ${seed}`);
    }),
    { numRuns },
  );
}
