import { type ChildProcess, fork, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openRedis } from "../../src/features/agents/broker/open-redis.ts";
import { openAgentRegister } from "../../src/features/agents/broker/agent-register.ts";
import { startBroker } from "../../test/features/agents/broker-process.ts";

/**
 * Processor time per streamed event: one loop by `assay load`, the same load by one agent and by two together, and by two that each send
 * as much as that loop. All by the built command, in turns; what is started costs nothing, because processor time and events are
 * read twice, in the middle of the load. Arguments: rounds, seconds of each measurement, closed loops of one sender.
 *
 *     npm run build && npx tsx bench/agents/cpu.bench.ts
 */
const [rounds = 3, seconds = 8, loops = 40] = process.argv.slice(2).map(Number);
const bin = new URL("../../dist/src/cli/bin.js", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "assay-bench-"));
const settleSeconds = 4;

interface Case {
  readonly name: string;
  readonly agents: number;
  readonly concurrency: number;
}
const cases: readonly Case[] = [
  { name: "one loop, `assay load`", agents: 0, concurrency: loops },
  { name: "one agent, the same load", agents: 1, concurrency: loops },
  { name: "two agents, the same load together", agents: 2, concurrency: loops },
  { name: "two agents, as much each", agents: 2, concurrency: 2 * loops },
];

const broker = await startBroker();
const server = fork(new URL("../load/server.ts", import.meta.url).pathname, ["10", "40"], { execArgv: ["--import", "tsx"] });
const [port] = (await once(server, "message")) as [number];
const url = `http://127.0.0.1:${port}`;
const env = { ...process.env, ASSAY_API_KEY: "sk_test_agents_cpu_bench" };
const us = new Map<string, number[]>(cases.map(({ name }) => [name, []]));
let eventsPerSecond = 0;
try {
  for (let round = 0; round < rounds; round += 1) {
    for (const one of cases) {
      const seen = await measure(one);
      us.get(one.name)?.push(seen.us);
      if (one.agents === 0) eventsPerSecond = seen.perSecond;
    }
  }
  const base = us.get(cases[0]?.name ?? "") ?? [];
  console.log(
    `load ${loadavg()[0]?.toFixed(0)}, ${eventsPerSecond.toFixed(0)} events/s by one loop, ${rounds} rounds of ${seconds} s\n`,
  );
  console.log("| sent by | CPU us an event: median | least | most | x one loop of the same round: median | least | most |");
  console.log("|---|---|---|---|---|---|---|");
  for (const { name } of cases) {
    const values = us.get(name) ?? [];
    const ratios = values.map((value, round) => value / (base[round] ?? Number.NaN));
    console.log(`| ${name} | ${spread(values, 1)} | ${spread(ratios, 2)} |`);
  }
} finally {
  server.kill();
  await broker.close();
  rmSync(folder, { recursive: true, force: true });
}

async function measure({ agents, concurrency }: Case): Promise<{ readonly us: number; readonly perSecond: number }> {
  const file = join(folder, "profile.yaml");
  const arrivals = `{ kind: closed, concurrency: ${concurrency} }`;
  writeFileSync(
    file,
    `id: cpu\ntitle: CPU\narrivals: ${arrivals}\ndurationSeconds: ${settleSeconds + seconds + 6}\nworkload: [{ endpoint: chat }]\n`,
  );
  const start = (args: readonly string[]): ChildProcess =>
    spawn(process.execPath, [bin, ...args], { cwd: folder, env, stdio: "ignore" });
  // Of their own: agents that were killed are still listed for a while.
  const prefix = `bench-${randomUUID()}`;
  const redis = ["--redis", broker.address.url, "--redis-prefix", prefix];
  const supervisors = Array.from({ length: agents }, () => start(["agent", ...redis, "--base-url", url]));
  try {
    if (agents > 0) await waitForAgents(prefix, agents);
    const many = agents === 0 ? [] : ["--agents", String(agents), ...redis];
    const before = await events();
    const run = start(["load", "--profile", file, "--base-url", url, "--max-requests", "10000000", ...many]);
    const ended = once(run, "exit");
    while ((await events()) < before + 400) {
      if (run.exitCode !== null) throw new Error(`the run ended with exit code ${run.exitCode} before it sent`);
      await sleep(50);
    }
    await sleep(1000 * settleSeconds);
    const senders = agents === 0 ? [run] : supervisors;
    const [fromEvents, fromMs] = [await events(), cpuMs(senders)];
    await sleep(1000 * seconds);
    const [toEvents, toMs] = [await events(), cpuMs(senders)];
    // A run that ended meanwhile (an agent that was held up for longer than its lease) measured nothing.
    if (run.exitCode !== null) return { us: Number.NaN, perSecond: Number.NaN };
    await ended;
    const sent = toEvents - fromEvents;
    return { us: (1000 * (toMs - fromMs)) / sent, perSecond: sent / seconds };
  } finally {
    for (const supervisor of supervisors) supervisor.kill("SIGKILL");
  }
}

async function waitForAgents(prefix: string, count: number): Promise<void> {
  const redis = await openRedis(broker.address.url);
  const register = openAgentRegister(redis, prefix);
  while ((await register.list()).filter(({ busy }) => !busy).length < count) await sleep(200);
  redis.disconnect();
}

function events(): Promise<number> {
  const answer = once(server, "message").then(([count]) => count as number);
  server.send("events");
  return answer;
}

/** Of these processes and their children, from /proc (100 ticks a second). */
function cpuMs(processes: readonly ChildProcess[]): number {
  const roots = new Set(processes.map(({ pid }) => pid));
  let ticks = 0;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    let stat: string;
    try {
      stat = readFileSync(`/proc/${name}/stat`, "utf8");
    } catch {
      continue;
    }
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (roots.has(Number(name)) || roots.has(Number(fields[1]))) ticks += Number(fields[11]) + Number(fields[12]);
  }
  return 10 * ticks;
}

function spread(values: readonly number[], digits: number): string {
  const sorted = values.filter((value) => !Number.isNaN(value)).toSorted((a, b) => a - b);
  return [sorted[Math.floor(sorted.length / 2)], sorted[0], sorted.at(-1)]
    .map((value) => (value ?? Number.NaN).toFixed(digits))
    .join(" | ");
}
