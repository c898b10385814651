/**
 * Measures the cost of agents for the broker and the coordinator: simulated agents (links without senders) at the pace of real
 * ones, against a real redis-server or valkey-server on this machine. Prints processor time for each agent and for each record.
 *
 *     npx tsx bench/agents/agents.bench.ts [agents ...]
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAgentLink, type AgentLink } from "../../src/features/agents/broker/agent-link.ts";
import { openCoordinatorLink } from "../../src/features/agents/broker/coordinator-link.ts";
import { openRedis } from "../../src/features/agents/broker/open-redis.ts";
import { createInbox, type Inbox } from "../../src/features/agents/messages/inbox.ts";
import { createOutbox, type Outbox } from "../../src/features/agents/messages/outbox.ts";

const port = 16_399;
const url = `redis://127.0.0.1:${port}`;
const broker = { url, prefix: "bench" };
const seconds = 8;
/** Bytes of the records of one send, as the ledger packs them. */
const bytesOfRecord = 56;

interface Usage {
  readonly brokerMs: number;
  readonly coordinatorMs: number;
  readonly commands: number;
}

async function measure(agents: number, recordsPerSecond: number): Promise<Usage> {
  const inboxes: Inbox[] = Array.from({ length: agents }, () => createInbox(() => {}));
  // The agents are in this process, too: what the coordinator needs is measured by its own work alone.
  let coordinatorMs = 0;
  const nowMs = (): number => performance.now();
  const coordinator = await openCoordinatorLink(
    {
      broker,
      runId: `bench-${agents}-${recordsPerSecond}`,
      agents,
      nowMs,
      onUp(agent, _token, chunk) {
        const from = process.cpuUsage();
        inboxes[agent]?.take(chunk);
        const { user, system } = process.cpuUsage(from);
        coordinatorMs += (user + system) / 1000;
      },
      acknowledged: (agent) => inboxes[agent]?.received ?? 0,
    },
    { bounds: { requests: 1e9, tokens: null, nanoUsd: null }, sparePlaces: 0 },
  );
  const payload = "x".repeat(Math.max(40, Math.round((bytesOfRecord * recordsPerSecond) / 5)));
  const links: AgentLink[] = [];
  const timers: NodeJS.Timeout[] = [];
  for (let agent = 0; agent < agents; agent += 1) {
    let outbox: Outbox | null = null;
    const link = await openAgentLink({
      broker,
      runId: `bench-${agents}-${recordsPerSecond}`,
      agent,
      token: `t${agent}`,
      nowMs,
      onDown: () => {},
      onClock: (_exchange, acknowledged) => outbox?.acknowledge(acknowledged),
    });
    outbox = createOutbox({ send: (chunk) => link.post(chunk), mostBytes: 64 * 1_048_576 });
    if ((await link.claim()) <= 0) throw new Error("no lease");
    links.push(link);
    const one = { requests: 1, tokens: 0, nanoUsd: 0 };
    const wanted = { ...one, requests: recordsPerSecond };
    timers.push(
      setInterval(() => void link.renew(), 500),
      setInterval(() => link.askClock(), 1000),
      setInterval(() => void outbox?.post(payload), 200),
      setInterval(() => void link.draw(one, wanted), 1000),
    );
  }
  timers.push(setInterval(() => void coordinator.beat(), 500));
  const redis = await openRedis(url);
  const read = async (): Promise<{ readonly ms: number; readonly commands: number }> => {
    const info = await redis.info();
    const figure = (name: string): number => Number(new RegExp(`${name}:([\\d.]+)`).exec(info)?.[1] ?? 0);
    return {
      ms: 1000 * (figure("used_cpu_user") + figure("used_cpu_sys")),
      commands: figure("total_commands_processed"),
    };
  };
  const before = await read();
  coordinatorMs = 0;
  await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  const after = await read();
  const usage = {
    brokerMs: (after.ms - before.ms) / seconds,
    coordinatorMs: coordinatorMs / seconds,
    commands: (after.commands - before.commands) / seconds,
  };
  for (const timer of timers) clearInterval(timer);
  for (const link of links) link.close();
  redis.disconnect();
  await coordinator.close();
  return usage;
}

const folder = mkdtempSync(join(tmpdir(), "assay-bench-"));
const server = spawn("redis-server", ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder, "--save", ""], {
  stdio: "ignore",
});
try {
  const wanted = process.argv.slice(2).map(Number);
  process.stdout.write("agents  records/s each  broker ms/s  commands/s  inbox ms/s\n");
  for (const agents of wanted.length > 0 ? wanted : [4, 16, 64]) {
    for (const records of [100, 1000]) {
      const { brokerMs, commands, coordinatorMs } = await measure(agents, records);
      const cells = [agents, records, brokerMs.toFixed(1), commands.toFixed(0), coordinatorMs.toFixed(1)];
      process.stdout.write(`${cells.map((cell) => String(cell).padStart(10)).join("  ")}\n`);
    }
  }
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
