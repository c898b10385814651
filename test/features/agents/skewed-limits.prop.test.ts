import { assert, asyncProperty, constantFrom, integer, record } from "fast-check";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { createRandom, type Random } from "../../../src/core/random.ts";
import type { LimitsJudgement } from "../../../src/limits/exam/judge-limits.ts";
import { disturbances } from "../../limits/simulation/disturbances.ts";
import { simulatedManifest } from "../../limits/simulation/exam.ts";
import { faultyLimiters } from "../../limits/simulation/faulty-limiters.ts";
import { lawfulLimiters } from "../../limits/simulation/lawful-limiters.ts";
import { loadRequests } from "../../limits/simulation/load-requests.ts";
import { serveRequests } from "../../limits/simulation/request-service.ts";
import { isWhole } from "../../make/runner/sample.ts";
import { judgeSkewed } from "./judge-skewed.ts";
import { createSimulation, type Simulation } from "../../limits/simulation/simulator.ts";

const limit = 60;
const windowMs = 60_000;
const manifest = simulatedManifest(limit);

async function drive({ sender, clock }: Simulation, random: Random, requests: number): Promise<void> {
  const size = random.integer(1, 20);
  const gapMs = (size * windowMs * (0.5 + random.next())) / limit;
  for (let sent = 0; sent < requests; sent += size) {
    await sender.burst(loadRequests(size));
    await clock.sleep(gapMs * (0.5 + random.next()));
  }
}

const accusations = (judgement: LimitsJudgement): readonly string[] =>
  judgement.findings.filter(({ verdict }) => verdict === "fail").map(({ check, message }) => `${check} ${message}`);

const plain = (exchange: Exchange): Exchange => JSON.parse(JSON.stringify(exchange)) as Exchange;

describe("limits over four agents whose clocks are known within a bound", () => {
  it("accuse no lawful limiter, under any disturbance", async () => {
    const cases = record({
      limiter: constantFrom(...lawfulLimiters),
      disturbance: constantFrom(...disturbances),
      boundMs: constantFrom(1, 20, 250),
      seed: integer({ min: 1, max: 1_000_000 }),
    });
    await assert(
      asyncProperty(cases, async ({ limiter, disturbance, boundMs, seed }) => {
        if (disturbance.skip?.includes(limiter.id)) return;
        const random = createRandom(seed);
        const service = serveRequests(limiter.create(limit, windowMs), disturbance.style);
        const simulation = createSimulation(seed, service, disturbance.network);
        await simulation.sender.burst(loadRequests(random.integer(0, 70)));
        await drive(simulation, random, 300);
        const judgement = judgeSkewed(simulation.exchanges.map(plain), random, boundMs, manifest);
        expect(accusations(judgement).map((what) => `${limiter.id} under ${disturbance.id}: ${what}`)).toEqual([]);
      }),
      { numRuns: isWhole ? 1000 : 20 },
    );
  });

  it("find each defect that one machine finds, or say that they cannot tell; none passes", async () => {
    const found: string[] = [];
    const missed: string[] = [];
    for (const limiter of faultyLimiters) {
      const { id } = limiter;
      const simulation = createSimulation(7, serveRequests(limiter.create(limit, windowMs)));
      const random = createRandom(7);
      await drive(simulation, random, 600);
      const exchanges = simulation.exchanges.map(plain);
      const failedChecks = (judgement: LimitsJudgement): readonly (string | null)[] =>
        judgement.result.policies.filter(({ verdict }) => verdict === "fail").map((policy) => policy.id);
      const alone = failedChecks(judgeSkewed(exchanges, random, 0, manifest));
      for (const boundMs of [2, 20, 250]) {
        const shared = judgeSkewed(exchanges, random, boundMs, manifest);
        for (const policy of alone) {
          const verdict = shared.result.policies.find((one) => one.id === policy)?.verdict;
          if (verdict === "fail") found.push(`${id} within ${boundMs} ms`);
          else if (verdict !== "inconclusive") missed.push(`${id} within ${boundMs} ms: ${verdict}`);
        }
      }
    }
    expect(missed).toEqual([]);
    expect(found.length).toBeGreaterThan(10);
  });

  it("would accuse lawful ones if the intervals were not widened", async () => {
    const accused: string[] = [];
    for (const limiter of lawfulLimiters) {
      const simulation = createSimulation(3, serveRequests(limiter.create(limit, windowMs)));
      await drive(simulation, createRandom(3), 400);
      const judgement = judgeSkewed(simulation.exchanges.map(plain), createRandom(5), 250, manifest, false);
      if (accusations(judgement).length > 0) accused.push(limiter.id);
    }
    expect(accused).not.toEqual([]);
  });
});
