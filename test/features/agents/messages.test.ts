import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boundedManifest, startWatchedTarget, watchArrivals } from "./arrival-watch.ts";
import { type BrokerProcess, hasBroker, startBroker } from "./broker-process.ts";
import { startProxy } from "./proxy.ts";
import { repeatMessages } from "./repeat-messages.ts";
import { runWithAgents } from "./run-with-agents.ts";

const permitted = 20;
const maxRequests = 61;
const runs = process.env["ASSAY_TEST_ALL"] === "1" ? 12 : 1;

describe.skipIf(!hasBroker)(
  "messages over the broker that come twice, late and out of order, over a way of unequal delays",
  () => {
    let broker: BrokerProcess;
    beforeAll(async () => {
      broker = await startBroker();
    });
    afterAll(() => broker.close());

    it.each(Array.from({ length: runs }, (_, index) => index + 1))("change nothing (%i)", async (seed) => {
      const arrivals = watchArrivals();
      const target = await startWatchedTarget(arrivals);
      const proxy = await startProxy(broker.port, { there: 150, back: 20 });
      const repeated = await repeatMessages(broker, seed);
      try {
        const { result, spent, ops, passive } = await runWithAgents({
          broker: broker.address,
          manifest: boundedManifest(target, permitted, maxRequests),
          profile: { arrivals: { kind: "closed", concurrency: 8 }, retry: { max: 2 } },
          agents: [{}, { broker: { ...broker.address, url: proxy.url }, skewMs: 3_600_000 }],
          twice: true,
        });
        const bodies = target.chats();
        expect(repeated.count).toBeGreaterThan(50);
        expect(bodies.length).toBeGreaterThan(10);
        expect(new Set(bodies).size).toBe(bodies.length);
        expect(bodies.length + 1).toBeLessThanOrEqual(maxRequests);
        expect(spent.requests).toBeLessThanOrEqual(maxRequests);
        expect(arrivals.most(1000)).toBeLessThanOrEqual(permitted);
        // A machine that stands still for longer than a lease loses its agents, and says so.
        expect(result.health.agents!.map(({ lost }) => lost)).toEqual([null, null]);
        // Everything that was reported was taken once. A request that was cut before the target had read it is a failure, and
        // counts as sent.
        const { sent } = result.counts;
        expect(sent).toBeGreaterThanOrEqual(bodies.length);
        expect(result.outcomes.ok ?? 0).toBeLessThanOrEqual(bodies.length);
        expect(ops).toHaveLength(sent);
        expect(passive.reduce((sum, { judged }) => sum + judged, 0)).toBe(sent);
        for (const { clock } of result.health.agents!) expect(clock!.contradictions).toBe(0);
        // Not narrower than the two ways together allow.
        const far = result.health.agents![1]!.clock!;
        expect(far.highMs - far.lowMs).toBeGreaterThan(165);
      } finally {
        arrivals.stop();
        await repeated.stop();
        await proxy.close();
        await target.close();
      }
    });
  },
);
