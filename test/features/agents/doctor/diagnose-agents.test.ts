import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAgentRegister } from "../../../../src/features/agents/broker/agent-register.ts";
import { openRedis } from "../../../../src/features/agents/broker/open-redis.ts";
import { fingerprint } from "../../../../src/features/agents/sealing/fingerprint.ts";
import { planLoad } from "../../../../src/load/plan/plan-load.ts";
import { chooseAgents } from "../../../../src/features/agents/coordinator/choose-agents.ts";
import { diagnoseAgents } from "../../../../src/features/agents/doctor/diagnose-agents.ts";
import { readToolVersion } from "../../../../src/run/tool-version.ts";
import { manifestFor } from "../../../make/load/load-target.ts";
import { shortProfile } from "../../../make/load/run-against.ts";
import { cardOf } from "../agent-card-fixture.ts";
import { type BrokerProcess, hasBroker, startBroker } from "../broker-process.ts";

const baseUrl = "http://127.0.0.1:1";
const manifest = manifestFor(baseUrl);
const version = readToolVersion();

function planOf(ratePerSecond: number) {
  const workload = [{ endpoint: "chat", stream: true, promptTokens: 5, outputTokens: 10 }];
  const profile = shortProfile({ id: "plan", arrivals: { kind: "constant", ratePerSecond }, durationSeconds: 2, workload });
  return { profile, plan: planLoad({ profile, manifest, seed: 1 }) };
}

describe.skipIf(!hasBroker)("agents that wait at a broker", () => {
  let broker: BrokerProcess;
  const statuses = async (planned: ReturnType<typeof planOf> | null) =>
    Object.fromEntries(
      (await diagnoseAgents({ broker: broker.address, manifest, version, planned })).map(({ check, status, message }) => [
        check,
        `${status}: ${message}`,
      ]),
    );
  const show = async (...cards: readonly ReturnType<typeof cardOf>[]): Promise<void> => {
    const redis = await openRedis(broker.address.url);
    const register = openAgentRegister(redis, broker.address.prefix);
    for (const { id } of await register.list()) await register.hide(id);
    for (const card of cards) await register.show(card);
    // They stay for as long as the test asks about them, however long that takes.
    for (const key of await redis.keys("*:agent:*")) await redis.persist(key);
    redis.disconnect();
  };

  beforeAll(async () => {
    broker = await startBroker();
  });
  afterAll(() => broker.close());

  it("are none: the doctor and the choice say so", async () => {
    await show();
    const found = await statuses(null);
    expect(found["broker"]).toMatch(/^ok: (?:redis|valkey) [789]/);
    expect(found["agents"]).toMatch(/^failed: none waits/);
    await expect(chooseAgents({ broker: broker.address, count: 1, baseUrl, version })).rejects.toThrow(
      "0 agents wait for this target, 1 are asked for",
    );
  });

  it("are chosen when they are idle, of this version and for this target", async () => {
    await show(
      cardOf("good-1", baseUrl),
      cardOf("good-2", `${baseUrl}/`),
      { ...cardOf("busy", baseUrl), busy: true },
      { ...cardOf("old", baseUrl), version: "0.0.1" },
      cardOf("other", "http://127.0.0.1:2"),
    );
    const chosen = await chooseAgents({ broker: broker.address, count: 2, baseUrl, version });
    expect(chosen.cards.map(({ name }) => name)).toEqual(["good-1", "good-2"]);
    await expect(chooseAgents({ broker: broker.address, count: 3, baseUrl, version })).rejects.toThrow(
      "2 agents wait for this target, 3 are asked for (busy is busy, old is assay 0.0.1, other serves another target)",
    );
    // The key of the target is sealed for nobody whose fingerprint was not named.
    const mine = { ...cardOf("mine", baseUrl), publicKey: "B".repeat(43) };
    await show(cardOf("forged", baseUrl), mine);
    const sealFor = [fingerprint(mine.publicKey)];
    const named = await chooseAgents({ broker: broker.address, count: 1, baseUrl, version, sealFor });
    expect(named).toMatchObject({ sealed: true, cards: [{ name: "mine" }] });
    await expect(chooseAgents({ broker: broker.address, count: 2, baseUrl, version, sealFor })).rejects.toThrow(
      "(forged has a key that is not named)",
    );
  });

  it("are reported by the doctor with what keeps the others from sending", async () => {
    await show(cardOf("good-1", baseUrl), cardOf("good-2", baseUrl), { ...cardOf("busy", baseUrl), busy: true });
    expect((await statuses(null))["agents"]).toMatch(/^warning: 2 ready: good-1, good-2; not ready: busy is busy/);
  });

  it("are measured against a plan: 5,000 events a second each", async () => {
    await show(cardOf("a", baseUrl), cardOf("b", baseUrl));
    // 11 requests of the fixture's 500, and events for each of 10 tokens.
    expect((await statuses(planOf(50)))["agent-ceilings"]).toMatch(/^ok: plan needs 1 of them/);
    expect((await statuses(planOf(900)))["agent-ceilings"]).toMatch(/^failed: plan needs 4 of them .* 2 are ready$/);
  });

  it("cannot agree on the time over a broker that is too far away", async () => {
    await show({ ...cardOf("far", baseUrl), roundTripMs: 700 });
    expect((await statuses(null))["agent-clocks"]).toMatch(/^failed: clocks can be known within 35\d\.\d ms at best/);
    await show(cardOf("near", baseUrl));
    expect((await statuses(null))["agent-clocks"]).toMatch(/^ok: /);
  });

  it("cannot be asked where no broker is", async () => {
    const [only] = await diagnoseAgents({
      broker: { url: "redis://127.0.0.1:1", prefix: "test" },
      manifest,
      version,
      planned: null,
    });
    expect(only).toMatchObject({ check: "broker", status: "failed", message: expect.stringContaining("ECONNREFUSED") as string });
  });
});
