import type { ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { loadManifest } from "../../../src/config/load-manifest.ts";
import { openAgentRegister } from "../../../src/features/agents/broker/agent-register.ts";
import { openRedis } from "../../../src/features/agents/broker/open-redis.ts";
import { openShareWorker } from "../../../src/features/agents/broker/share-queue.ts";
import { readAgentOrder } from "../../../src/features/agents/messages/agent-order.ts";
import { type LiveTarget, openLiveTarget } from "../../cli/live-target.ts";
import { type Ended, runAssay, spawnAssay } from "../../cli/run-assay.ts";
import { cardOf } from "./agent-card-fixture.ts";
import { type BrokerProcess, hasBroker, startBroker } from "./broker-process.ts";
import { startShareProcess } from "./run-with-agents.ts";

const cap = 4321;

// A profile that sets the spend cap prices purchases first, which takes its time on a target that lends no clock.
describe.skipIf(!hasBroker)("a cap that a run over agents has set", () => {
  let broker: BrokerProcess;
  let live: LiveTarget;
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    broker = await startBroker();
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });
  afterAll(() => broker.close());

  /** One agent that waits, and the run; `onShare` is called with the process that sends, as soon as it holds its lease. */
  async function run(onShare: (sending: ChildProcess, coordinator: () => void) => void): Promise<Ended> {
    live = await openLiveTarget(["primary", "admin", "spendAdmin", "spendA"], {
      permissions: { patchSettings: true, exhaustLimits: true, spendUpToCents: 500 },
      propagationSeconds: 1,
      restore: { keys: { spendA: { monthly_spend_cap: cap } } },
    });
    const { folder, env } = live;
    const { manifest } = loadManifest({ file: null, baseUrl: null, workingDirectory: folder, env })!;
    const redis = await openRedis(broker.address.url);
    const card = cardOf("one", manifest.target.baseUrl);
    const register = openAgentRegister(redis, broker.address.prefix);
    const timer = setInterval(() => void register.show(card).catch(() => undefined), 1000);
    await register.show(card);
    let kill = (): void => {};
    let sending: ChildProcess | null = null;
    let started = false;
    const look = async (): Promise<void> => {
      const [lease] = await redis.keys("*:lease:0");
      if (lease === undefined || started || sending === null) return;
      started = true;
      onShare(sending, kill);
    };
    const watch = setInterval(() => void look().catch(() => undefined), 50);
    const worker = await openShareWorker(broker.address, card.id, (value) =>
      startShareProcess({ broker: broker.address, order: readAgentOrder(value)!, manifest }, (child) => {
        sending = child;
      }),
    );
    closing.push(async () => {
      clearInterval(timer);
      clearInterval(watch);
      sending?.kill("SIGKILL");
      await worker.close();
      redis.disconnect();
    });
    const { url, prefix } = broker.address;
    return spawnAssay(["load", "--profile", "spend-cap", "--agents", "1", "--redis", url, "--redis-prefix", prefix], {
      folder,
      env,
      onStart: (signal) => {
        kill = () => signal("SIGKILL");
      },
    });
  }

  const capNow = (): unknown => live.service.engine.keys.byName("spendA")?.settings.monthly_spend_cap;
  const journals = (): readonly string[] =>
    readdirSync(join(live.folder, "reports")).filter((name) => name.startsWith(".pending-restore-"));

  it("is put back when the agent is lost, and the run is invalid", async () => {
    let changedTo: unknown = null;
    const { exitCode, stderr } = await run((sending) => {
      changedTo = capNow();
      sending.kill("SIGKILL");
    });
    expect(stderr).toContain("agent one was lost");
    expect(changedTo).not.toBe(cap);
    expect(capNow()).toBe(cap);
    expect(journals()).toEqual([]);
    expect(exitCode).toBe(3);
  });

  it("is put back by the next run when the coordinator is killed", async () => {
    const { exitCode } = await run((_, killCoordinator) => killCoordinator());
    expect(exitCode).toBeNull();
    expect(capNow()).not.toBe(cap);
    expect(journals()).toHaveLength(1);
    const { stderr } = await runAssay(["check", "--suite", "models"], { folder: live.folder, env: live.env });
    expect(stderr).toContain("settings that an earlier run left changed were restored: key:spendA");
    expect(capNow()).toBe(cap);
    expect(journals()).toEqual([]);
  });
});
