import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRedis } from "../../../src/features/agents/broker/open-redis.ts";
import { runKeys } from "../../../src/features/agents/broker/run-keys.ts";
import { openShareWorker } from "../../../src/features/agents/broker/share-queue.ts";
import { loadKeyName } from "../../../src/load/profile/load-key-name.ts";
import { readProfile } from "../../../src/load/plan/read-profile.ts";
import { type AgentOrder, readAgentOrder } from "../../../src/features/agents/messages/agent-order.ts";
import { runAgentShare } from "../../../src/features/agents/share/run-agent-share.ts";
import { readToolVersion } from "../../../src/run/tool-version.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { manifestFor } from "../../make/load/load-target.ts";
import { testRandom } from "../../make/runner/sample.ts";
import { cardOf } from "./agent-card-fixture.ts";
import { boundedManifest, startWatchedTarget, type ArrivalWatch, watchArrivals } from "./arrival-watch.ts";
import { type BrokerProcess, hasBroker, startBroker } from "./broker-process.ts";
import { type Proxy, startProxy } from "./proxy.ts";
import { agentProfile, type AgentRunSeen, runWithAgents } from "./run-with-agents.ts";

const all = process.env["ASSAY_TEST_ALL"] === "1";
const permitted = 20;
const maxRequests = 61;
/** Instants of each fault. */
const times = Number(process.env["ASSAY_FAULT_INSTANTS"] ?? (all ? 34 : 1));
/** So many at once: most of a trial is waiting. */
const lanes = Math.min(times, Number(process.env["ASSAY_FAULT_LANES"] ?? 1));

/** The event that a fault waits for before it strikes. */
type Since = "first request" | "first report";

interface Trial {
  readonly since: Since;
  readonly seen: AgentRunSeen;
  readonly bodies: readonly string[];
  /** When requests came, and when the fault struck and the loss was named. */
  readonly arrivals: ArrivalWatch;
  readonly struckMs: number;
  readonly namedMs: number | null;
}

interface Fault {
  readonly processes: boolean;
  /** As the result names it. */
  readonly cause: RegExp;
  readonly proxied?: boolean;
  strike(context: {
    readonly children: readonly ChildProcess[];
    readonly proxy: Proxy;
    readonly broker: BrokerProcess;
  }): void | Promise<void>;
}

/** Of the second of two agents, whatever keeps it from being heard. */
const silent = /^agent lost: agent-2: its lease of 3 s ran out$/;

/** By name; `victim` is the second of two agents. */
const faults: Readonly<Record<string, Fault>> = {
  "a killed process": { processes: true, cause: silent, strike: ({ children }) => void children[1]?.kill("SIGKILL") },
  "a supervisor that is gone": { processes: true, cause: silent, strike: ({ children }) => children[1]?.disconnect() },
  "a process that is stopped for 10 s": {
    processes: true,
    cause: silent,
    strike({ children }) {
      const victim = children[1];
      victim?.kill("SIGSTOP");
      setTimeout(() => victim?.kill("SIGCONT"), 10_000);
    },
  },
  "a partition that lets nothing to the broker": {
    processes: false,
    cause: silent,
    proxied: true,
    strike: ({ proxy }) => proxy.cut("agent"),
  },
  "a partition that lets nothing from the broker": {
    processes: false,
    cause: silent,
    proxied: true,
    strike: ({ proxy }) => proxy.cut("broker"),
  },
  "a broker that is restarted": {
    processes: false,
    cause: /^agent lost: agent-\d: the broker (?:was restarted, or has forgotten the run|does not answer)$/,
    strike: ({ broker }) => broker.restart(),
  },
};

describe.skipIf(!hasBroker)("faults of agents", () => {
  const brokers: BrokerProcess[] = [];
  let common: BrokerProcess;
  beforeAll(async () => {
    common = await startBroker();
    brokers.push(common);
  });
  afterAll(() => Promise.all(brokers.map((one) => one.close())));

  async function run(fault: Fault, since: Since, afterMs: number): Promise<Trial> {
    const own = fault === faults["a broker that is restarted"];
    const broker = own ? await startBroker() : common;
    if (own) brokers.push(broker);
    const arrivals = watchArrivals();
    const target = await startWatchedTarget(arrivals);
    const proxy = await startProxy(broker.port, { there: 1, back: 1 });
    const children: ChildProcess[] = [];
    let namedMs: number | null = null;
    let struckMs = Infinity;
    let report = (): void => {};
    const reported = new Promise<void>((resolve) => (report = resolve));
    const running = runWithAgents({
      broker: broker.address,
      manifest: boundedManifest(target, permitted, maxRequests),
      profile: { arrivals: { kind: "closed", concurrency: 8 }, durationSeconds: 4, retry: { max: 2 } },
      agents: [{}, fault.proxied === true ? { broker: { ...broker.address, url: proxy.url } } : {}],
      onNote: (text) => {
        if (text.includes("was lost")) namedMs ??= performance.now();
      },
      onLine: (json) => json.startsWith('{"kind":"records"') && report(),
      ...(fault.processes ? { onProcess: (child: ChildProcess, agent: number) => void (children[agent] = child) } : {}),
    });
    try {
      // A run that cannot begin says why; a slow machine takes its time.
      const early = running.then(() => Promise.reject(new Error("it ended before it was struck")));
      await Promise.race([since === "first report" ? reported : arrivals.first, early]);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      struckMs = performance.now();
      await fault.strike({ children, proxy, broker });
      const seen = await running;
      // A zombie that wakes up, or a partition that heals, must send nothing more.
      const after = arrivals.count;
      proxy.heal();
      const wakesMs = fault === faults["a process that is stopped for 10 s"] ? struckMs + 11_500 - performance.now() : 1200;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, wakesMs)));
      expect(arrivals.count).toBe(after);
      return { since, seen, bodies: target.chats(), arrivals, struckMs, namedMs };
    } finally {
      arrivals.stop();
      for (const child of children) child.kill("SIGKILL");
      await running.catch(() => undefined);
      await proxy.close();
      await target.close();
    }
  }

  function check({ since, seen, bodies, arrivals, struckMs, namedMs }: Trial, cause: RegExp): void {
    expect(new Set(bodies).size).toBe(bodies.length);
    // The reading of the usage report is one of the budget.
    expect(bodies.length + 1).toBeLessThanOrEqual(maxRequests);
    expect(seen.spent.requests).toBeLessThanOrEqual(maxRequests);
    expect(seen.spent.requests).toBeGreaterThanOrEqual(bodies.length);
    expect(arrivals.most(1000)).toBeLessThanOrEqual(permitted);
    const { validity, health, counts } = seen.result;
    expect(validity.valid).toBe(false);
    expect(health.agents!.some(({ lost }) => lost !== null)).toBe(true);
    // A machine that stands still may lose the other agent besides.
    expect(validity.reasons).toContainEqual(expect.stringMatching(cause));
    // Its lease of 3 s is in the cause; a machine that stands still hears of it later.
    expect(namedMs! - struckMs).toBeLessThan(60_000);
    // The reports until then are kept.
    if (since === "first report") expect(counts.sent).toBeGreaterThan(0);
  }

  async function killCoordinator(afterMs: number) {
    const arrivals = watchArrivals();
    const target = await startWatchedTarget(arrivals);
    const manifest = manifestFor(target.baseUrl);
    const coordinator = fork(new URL("coordinator-process.mjs", import.meta.url), [], { execArgv: ["--import", "tsx"] });
    const cards = ["one", "two"].map((name) => cardOf(name, target.baseUrl, `${name}-${randomUUID()}`));
    let order: AgentOrder | null = null;
    const redis = await openRedis(common.address.url);
    const workers = await Promise.all(
      cards.map((card) =>
        openShareWorker(common.address, card.id, (value) =>
          runAgentShare({
            broker: common.address,
            order: (order = readAgentOrder(value)!),
            manifest,
            version: readToolVersion(),
            clock: createRealClock(),
            signal: new AbortController().signal,
          }),
        ),
      ),
    );
    try {
      const read = readProfile(JSON.stringify({ ...agentProfile, durationSeconds: 60 }), "agents");
      const profile = { ...read, key: loadKeyName(read.key, manifest) };
      coordinator.send({ broker: common.address, cards, manifest, profile, version: readToolVersion() });
      await arrivals.first;
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      coordinator.kill("SIGKILL");
      const killedMs = performance.now();
      const before = arrivals.count;
      // The last message of the agent may reach a busy broker late: its own lease counts from there, and no lease of an agent
      // outlives that.
      const { coordinator: alive } = runKeys(common.address.prefix, order!.runId);
      let deadlineMs = killedMs;
      while (performance.now() < killedMs + 6000) {
        const leftMs = await redis.pttl(alive);
        if (leftMs > 0) deadlineMs = Math.max(deadlineMs, performance.now() + leftMs);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      return { sentPastMs: arrivals.lastMs - deadlineMs, leaseMs: deadlineMs - killedMs, before, bodies: target.chats() };
    } finally {
      arrivals.stop();
      coordinator.kill("SIGKILL");
      redis.disconnect();
      await Promise.all(workers.map((worker) => worker.close()));
      await target.close();
    }
  }

  /** Runs a trial as often as wanted, some at once; how many there were. */
  async function repeat(trial: (number: number) => Promise<void>): Promise<number> {
    let begun = 0;
    let done = 0;
    const lane = async (): Promise<void> => {
      while (begun < times) {
        begun += 1;
        await trial(begun);
        done += 1;
      }
    };
    try {
      await Promise.all(Array.from({ length: lanes }, lane));
    } finally {
      // After a failure the other lanes begin nothing more.
      begun = times;
    }
    return done;
  }

  it(
    "that a coordinator which is killed leaves behind fall silent within the lease",
    async () => {
      const random = testRandom("a killed coordinator");
      const trials = await repeat(async () => {
        const { sentPastMs, leaseMs, before, bodies } = await killCoordinator(1000 * random.next());
        expect(leaseMs).toBeGreaterThan(0);
        expect(sentPastMs).toBeLessThan(1);
        // Until then they went on: the lease was not dropped for nothing.
        expect(bodies.length).toBeGreaterThan(before);
        expect(new Set(bodies).size).toBe(bodies.length);
      });
      expect(trials).toBe(times);
    },
    90_000 * times,
  );

  const names = Object.keys(faults);
  // Two here; every one of them 34 times in `npm run test:all`, and as often as ASSAY_FAULT_INSTANTS says.
  const first = testRandom("faults").integer(0, names.length - 1);
  const today = all ? names : [names[first]!, names[(first + 3) % names.length]!];
  it.each(today)(
    "%s: nothing is sent twice, over the budget or over the permitted rate, and the loss is named",
    async (name) => {
      const random = testRandom(name);
      const trials = await repeat(async (number) => {
        const [since, withinMs] = number % 2 === 1 ? (["first report", 1500] as const) : (["first request", 2500] as const);
        check(await run(faults[name]!, since, withinMs * random.next()), faults[name]!.cause);
      });
      expect(trials).toBe(times);
    },
    90_000 * times,
  );
});
