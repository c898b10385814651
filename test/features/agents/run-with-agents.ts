import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { PassiveCounts } from "../../../src/conformance/verdict/passive-validator.ts";
import type { Clock } from "../../../src/core/clock.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import type { BrokerAddress } from "../../../src/features/agents/broker/read-broker-address.ts";
import { openShareWorker, type ShareWorker } from "../../../src/features/agents/broker/share-queue.ts";
import type { LimitOp } from "../../../src/limits/history/op.ts";
import { readProfile } from "../../../src/load/plan/read-profile.ts";
import { runLoadProfile } from "../../../src/load/run-load-profile.ts";
import { createAgentWorkers } from "../../../src/features/agents/coordinator/agent-workers.ts";
import type { ShareStart } from "../../../src/features/agents/share/agent-process.ts";
import { compiledFile } from "../../../src/run/compiled-file.ts";
import { readAgentOrder } from "../../../src/features/agents/messages/agent-order.ts";
import { runAgentShare } from "../../../src/features/agents/share/run-agent-share.ts";
import { readToolVersion } from "../../../src/run/tool-version.ts";
import { createBudget } from "../../../src/wire/budget/budget.ts";
import { allocateSharedCounters, createSharedCounters } from "../../../src/wire/budget/budget-counters.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { createWire } from "../../../src/wire/client/wire.ts";
import { cardOf } from "./agent-card-fixture.ts";

export interface AgentRunOptions {
  readonly broker: BrokerAddress;
  readonly manifest: Manifest;
  readonly profile: object;
  readonly seed?: number;
  /** Of each agent: by how much its clock is off, and how it drifts. */
  readonly agents: readonly {
    readonly skewMs?: number | (() => number);
    readonly drift?: number;
    readonly manifest?: Manifest;
    readonly broker?: BrokerAddress;
  }[];
  /** Records that are kept. */
  readonly mostRecords?: number;
  readonly signal?: AbortSignal;
  readonly onNote?: (text: string) => void;
  /** Of the ledger. */
  readonly onLine?: (json: string) => void;
  /** Agents send from processes of their own, as the supervisor starts them; reported of each. */
  readonly onProcess?: (child: ChildProcess, agent: number) => void;
  /** Every job is started twice at once, as by a queue whose worker stalled. */
  readonly twice?: boolean;
}

export interface AgentRunSeen {
  readonly result: LoadProfileResult;
  readonly exchanges: readonly Exchange[];
  readonly ops: readonly LimitOp[];
  readonly passive: readonly PassiveCounts[];
  readonly spent: ReturnType<ReturnType<typeof createBudget>["spent"]>;
  readonly lines: readonly string[];
  /** Calls at the end of the load, in order. */
  readonly ends: readonly string[];
}

export const agentProfile: object = {
  id: "agents",
  title: "Agents",
  arrivals: { kind: "poisson", ratePerSecond: 30 },
  durationSeconds: 2,
  timeoutSeconds: 5,
  workload: [
    { endpoint: "chat", promptTokens: { kind: "normal", mean: 30, standardDeviation: 9, min: 5, max: 90 }, outputTokens: 3 },
  ],
};

/** Runs a profile by agents in this process, each with its own connections to a real broker. */
export async function runWithAgents(options: AgentRunOptions): Promise<AgentRunSeen> {
  const { broker, manifest, seed = 5 } = options;
  const profile = readProfile(JSON.stringify({ ...agentProfile, ...options.profile }), "agents");
  const clock = createRealClock();
  const memory = allocateSharedCounters();
  const seq = new Int32Array(new SharedArrayBuffer(4));
  const counters = createSharedCounters(memory);
  const budget = createBudget(manifest, counters);
  const exchanges: Exchange[] = [];
  const ops: LimitOp[] = [];
  const passive: PassiveCounts[] = [];
  const lines: string[] = [];
  const ends: string[] = [];
  const run = randomUUID();
  const cards = options.agents.map((_, index) =>
    cardOf(`agent-${index + 1}`, manifest.target.baseUrl, `agent-${index + 1}-${run}`),
  );
  const workers: ShareWorker[] = [];
  const ended = new AbortController();
  for (const [index, agent] of options.agents.entries()) {
    workers.push(
      await openShareWorker(broker, cards[index]!.id, async (value) => {
        const { onProcess } = options;
        if (onProcess !== undefined) {
          await startShareProcess(
            { ...agent, broker: agent.broker ?? broker, order: readAgentOrder(value)!, manifest },
            (child) => onProcess(child, index),
          );
          return;
        }
        const start = (): Promise<void> =>
          runAgentShare({
            broker: agent.broker ?? broker,
            order: readAgentOrder(value)!,
            manifest: agent.manifest ?? manifest,
            version: readToolVersion(),
            clock: shiftClock(agent.skewMs ?? 0, agent.drift ?? 0),
            signal: ended.signal,
          });
        await Promise.all(options.twice === true ? [start(), start()] : [start()]);
      }),
    );
  }
  const others = createAgentWorkers({
    chosen: { broker, cards },
    version: readToolVersion(),
    counters,
    seq,
    evidence: { first: 20, failed: 5 },
    ...(options.mostRecords === undefined ? {} : { mostRecords: options.mostRecords }),
    onExchange: (exchange) => exchanges.push(exchange),
    onOp: (op) => ops.push(op),
    onPassive: (counts) => passive.push(counts),
    onTransportRaces: () => {},
  });
  const wire = createWire({ manifest, clock, budget, nextSeq: () => Atomics.add(seq, 0, 1) + 1 });
  try {
    const result = await runLoadProfile({
      profile,
      manifest,
      sender: wire,
      clock,
      seed,
      workers: others,
      budget,
      onSent: () => void ends.push("sent"),
      endBeside: async () => void ends.push("answered"),
      ledger: (json) => {
        lines.push(json);
        options.onLine?.(json);
      },
      onProgress: (event) => (event.kind === "note" ? options.onNote?.(event.text) : undefined),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    return { result, exchanges, ops, passive, spent: budget.spent(), lines, ends };
  } finally {
    ended.abort();
    await Promise.all(workers.map((worker) => worker.close()));
    await wire.close();
  }
}

/** Sends one share from a process of its own, as the supervisor does; resolves when it has ended. */
export function startShareProcess(start: Omit<ShareStart, "version">, onChild: (child: ChildProcess) => void): Promise<void> {
  return new Promise((resolve) => {
    const child = fork(compiledFile("features/agents/share/agent-process.js"), [], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      execArgv: [],
    });
    child.once("exit", () => resolve());
    child.on("error", () => resolve());
    onChild(child);
    child.send({ ...start, version: readToolVersion() } satisfies ShareStart);
  });
}

/** A clock that is off and drifts; sleeps take their true time. */
function shiftClock(skew: number | (() => number), drift: number): Clock {
  const local = createRealClock();
  const skewMs = typeof skew === "number" ? () => skew : skew;
  return {
    nowMs: () => skewMs() + local.nowMs() * (1 + drift),
    wallMs: () => local.wallMs() + skewMs(),
    sleep: (ms, signal) => local.sleep(ms, signal),
  };
}
