import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentLink, openAgentLink } from "../../../src/features/agents/broker/agent-link.ts";
import { type CoordinatorLink, openCoordinatorLink } from "../../../src/features/agents/broker/coordinator-link.ts";
import { openRedis } from "../../../src/features/agents/broker/open-redis.ts";
import { runKeys } from "../../../src/features/agents/broker/run-keys.ts";
import type { Chunk } from "../../../src/features/agents/messages/chunk.ts";
import { type BrokerProcess, hasBroker, startBroker } from "./broker-process.ts";

const nothing = { requests: 0, tokens: 0, nanoUsd: 0 };

describe.skipIf(!hasBroker)("the broker", () => {
  let broker: BrokerProcess;
  const open: { close(): unknown }[] = [];
  let runs = 0;

  beforeAll(async () => {
    broker = await startBroker();
  });
  afterAll(async () => {
    await Promise.all(open.map((one) => one.close()));
    await broker.close();
  });

  async function openRun(bounds: Partial<Record<"requests" | "tokens" | "nanoUsd", number>>, agents = 3, sparePlaces = 0) {
    runs += 1;
    const runId = `run-${runs}`;
    const up: { readonly agent: number; readonly token: string; readonly chunk: Chunk }[] = [];
    const coordinator: CoordinatorLink = await openCoordinatorLink(
      {
        broker: broker.address,
        runId,
        agents,
        nowMs: () => performance.now() + 1_000_000,
        onUp: (agent, token, chunk) => up.push({ agent, token, chunk }),
        acknowledged: () => up.length,
      },
      { bounds: { requests: null, tokens: null, nanoUsd: null, ...bounds }, sparePlaces },
    );
    open.push(coordinator);
    const clocks: number[] = [];
    const link = async (agent: number, token = `token-${agent}`): Promise<AgentLink> => {
      const one = await openAgentLink({
        broker: broker.address,
        runId,
        agent,
        token,
        nowMs: () => performance.now(),
        onDown: () => {},
        onClock: ({ takenMs, askedMs }) => clocks.push(takenMs - askedMs),
      });
      open.push(one);
      return one;
    };
    return { runId, coordinator, link, up, clocks };
  }

  it("grants a budget in parts that never add up to more than the whole, whoever asks at once", async () => {
    const { link } = await openRun({ requests: 1000, tokens: 50_000 });
    const agents = await Promise.all([0, 1, 2].map((agent) => link(agent)));
    for (const agent of agents) expect(await agent.claim()).toBeGreaterThan(0);
    let requests = 0;
    let tokens = 0;
    const draw = async (agent: AgentLink, size: number): Promise<void> => {
      for (let asked = 0; asked < 60; asked += 1) {
        const grant = await agent.draw(
          { requests: 1, tokens: 40, nanoUsd: 5 },
          { requests: size, tokens: 40 * size, nanoUsd: 5 },
        );
        if (grant === null) return;
        expect(grant.nanoUsd).toBeNull();
        requests += grant.requests!;
        tokens += grant.tokens!;
      }
    };
    await Promise.all(agents.flatMap((agent, index) => [draw(agent, 7 + index), draw(agent, 13), draw(agent, 1)]));
    expect(requests).toBeLessThanOrEqual(1000);
    expect(tokens).toBeLessThanOrEqual(50_000);
    // The last part is what is left, so that nothing is kept from those who could use it.
    expect(Math.max(requests / 1000, tokens / 50_000)).toBe(1);
  });

  it("keeps nothing that an agent says after the end of the run, and bounds the life of what a killed run leaves", async () => {
    const { runId, link, coordinator, up } = await openRun({ requests: 10 }, 1, 2);
    const agent = await link(0);
    await agent.claim();
    const redis = await openRedis(broker.address.url);
    open.push({ close: () => redis.disconnect() });
    const keysOfRun = (): Promise<string[]> => redis.keys(`*${runId}}*`);
    const before = await keysOfRun();
    expect(before.length).toBeGreaterThan(4);
    await coordinator.beat();
    for (const key of before) expect([key, (await redis.pttl(key)) > 0]).toEqual([key, true]);
    agent.post({ number: 1, previous: "", payload: "before" });
    await expect.poll(() => up.length).toBe(1);
    await coordinator.close();
    agent.post({ number: 2, previous: "", payload: "after" });
    agent.sendAll("{}");
    // On the same connection: what was sent before has been carried out.
    expect(await agent.renew()).toBeLessThan(0);
    expect(await keysOfRun()).toEqual([]);
  });

  it("takes back what was not used, once", async () => {
    const { link, coordinator } = await openRun({ requests: 10 });
    const [one, other] = [await link(0), await link(1)];
    await one.claim();
    await other.claim();
    const ask = { requests: 10, tokens: 0, nanoUsd: 0 };
    expect((await one.draw(nothing, ask))?.requests).toBe(10);
    expect(await other.draw({ ...nothing, requests: 1 }, ask)).toBeNull();
    await one.giveUnspentBack({ requests: 4, tokens: 0, nanoUsd: 0 });
    await one.giveUnspentBack({ requests: 4, tokens: 0, nanoUsd: 0 });
    expect((await coordinator.drawn(0))!.requests).toBe(6);
    expect((await other.draw({ ...nothing, requests: 1 }, ask))?.requests).toBe(4);
  });

  it("gives a share to one start of an agent alone, and nothing to one whose lease is gone", async () => {
    const { runId, link, coordinator } = await openRun({ requests: 10 });
    const first = await link(0, "first");
    const second = await link(0, "second");
    expect(await first.claim()).toBeGreaterThan(0);
    expect(await second.claim()).toBe(-1);
    expect(await second.renew()).toBe(-1);
    expect(await second.draw(nothing, { ...nothing, requests: 1 })).toBeNull();
    expect(await first.renew()).toBeGreaterThan(0);
    const redis = await openRedis(broker.address.url);
    open.push({ close: () => redis.disconnect() });
    await redis.del(runKeys("test", runId).lease(0));
    expect(await first.renew()).toBe(-1);
    expect(await first.draw(nothing, { ...nothing, requests: 1 })).toBeNull();
    const third = await link(1);
    await third.claim();
    await coordinator.revoke(1);
    expect(await third.renew()).toBe(-1);
    expect(await first.claim()).toBe(-1);
  });

  it("grants no lease that outlives the coordinator", async () => {
    const { runId, link, coordinator } = await openRun({});
    const agent = await link(0);
    const redis = await openRedis(broker.address.url);
    open.push({ close: () => redis.disconnect() });
    await redis.pexpire(runKeys("test", runId).coordinator, 700);
    expect(await agent.claim()).toBeLessThanOrEqual(700);
    expect((await coordinator.beat())!.map((ms) => ms > 0)).toEqual([true, false, false]);
    expect(await agent.renew()).toBeGreaterThan(2500);
    await coordinator.close();
    expect(await agent.renew()).toBeLessThan(0);
  });

  it("lends a place of the permitted rate to one agent at a time, and takes it back from that one only", async () => {
    const { link } = await openRun({}, 3, 2);
    const agents = await Promise.all([0, 1, 2].map((agent) => link(agent)));
    for (const agent of agents) await agent.claim();
    const places = await Promise.all(agents.map((agent) => agent.borrowPlace()));
    const lent = places.filter((place) => place !== null);
    expect(new Set(lent).size).toBe(2);
    const empty = places.indexOf(null);
    await agents[empty]!.giveBackPlace(lent[0]!);
    expect(await agents[empty]!.borrowPlace()).toBeNull();
    const holder = agents[places.indexOf(lent[0]!)]!;
    await holder.giveBackPlace(lent[0]!);
    await holder.giveBackPlace(lent[0]!);
    expect(await agents[empty]!.borrowPlace()).toBe(lent[0]);
    expect(await agents[empty]!.borrowPlace()).toBeNull();
  });

  it("carries reports and clock exchanges", async () => {
    const { link, up, clocks } = await openRun({});
    const agent = await link(2, "t");
    for (let number = 1; number <= 100; number += 1) agent.post({ number, previous: "", payload: `p${number}` });
    agent.askClock();
    await expect.poll(() => up.length).toBe(100);
    expect(up.map(({ chunk }) => chunk.number)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(up[0]).toMatchObject({ agent: 2, token: "t" });
    await expect.poll(() => clocks.length).toBe(1);
    expect(clocks[0]).toBeGreaterThanOrEqual(1_000_000);
  });

  it("that was restarted grants nothing more, even where it remembers an older state", async () => {
    const { link, coordinator } = await openRun({ requests: 10 });
    const agent = await link(0);
    await agent.claim();
    await broker.save();
    expect((await agent.draw(nothing, { ...nothing, requests: 10 }))?.requests).toBe(10);
    await broker.restart();
    // The saved state would grant the ten once more.
    await expect.poll(() => coordinator.beat()).toBeNull();
    expect(await agent.draw(nothing, { ...nothing, requests: 10 })).toBeNull();
    expect(await agent.renew()).toBe(-2);
    expect(await coordinator.drawn(0)).toBeNull();
  });
});
