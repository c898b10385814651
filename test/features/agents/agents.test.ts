import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manifestFor, startTarget, streamWords, type Answer, type LoadTarget } from "../../make/load/load-target.ts";
import { sendProfile, shortProfile } from "../../make/load/run-against.ts";
import { keep } from "../../make/keep.ts";
import { isWhole } from "../../make/runner/sample.ts";
import type { LedgerLine } from "../../../src/load/ledger/ledger-line.ts";
import { unpackRecords } from "../../../src/load/ledger/unpack-records.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { openRedis } from "../../../src/features/agents/broker/open-redis.ts";
import { type BrokerProcess, hasBroker, startBroker } from "./broker-process.ts";
import { agentProfile, type AgentRunOptions, type AgentRunSeen, runWithAgents } from "./run-with-agents.ts";

const stream: Answer = (_, response) => streamWords(response, 3, 10, 5);
const bodies = (target: LoadTarget): readonly string[] => target.seen.map(({ body }) => JSON.stringify(body)).sort();

/** Records of the ledger, of one agent if one is named. */
function recordsOf(lines: readonly string[], agent?: number): readonly LoadRecord[] {
  const slo = { ttftMs: null, tpotMs: null, userLatencyMs: null };
  return lines.flatMap((json) => {
    const line = JSON.parse(json) as LedgerLine;
    if (line.kind !== "records" || line.loop !== (agent ?? line.loop)) return [];
    return unpackRecords(line.columns, line.rows, slo);
  });
}

describe.skipIf(!hasBroker)("agents", () => {
  let broker: BrokerProcess;
  const target = async (answer: Answer): Promise<LoadTarget> => keep(await startTarget(answer));

  /** By two agents at the common broker, if nothing else is said. */
  const run = (shared: LoadTarget, options: Partial<AgentRunOptions> & Pick<AgentRunOptions, "profile">): Promise<AgentRunSeen> =>
    runWithAgents({ broker: broker.address, manifest: manifestFor(shared.baseUrl), agents: [{}, {}], ...options });

  beforeAll(async () => {
    broker = await startBroker();
  });
  afterAll(() => broker.close());

  it("send the one schedule that this machine sends alone, with clocks that are an hour off and drift", async () => {
    const alone = await target(stream);
    const single = await sendProfile(shortProfile(agentProfile), manifestFor(alone.baseUrl), { seed: 5 });
    const shared = await target(stream);
    const { result, ops, exchanges, passive, spent, ends } = await run(shared, {
      profile: {},
      agents: [{ skewMs: 3_600_000 }, { skewMs: -3_600_000, drift: 0.0005 }, { drift: -0.0005 }],
    });
    const { sent } = result.counts;
    expect(sent).toBeGreaterThan(40);
    expect(bodies(shared)).toEqual(bodies(alone));
    expect(new Set(bodies(shared)).size).toBe(sent);
    expect(result.counts).toEqual(single.counts);
    expect(result.outcomes).toEqual({ ok: sent });
    expect(ends).toEqual(["sent", "answered"]);
    expect(result.series.reduce((sum, second) => sum + second.offered, 0)).toBe(sent);
    // Judges, evidence and limits missed nothing, and no number was given out twice.
    expect(passive.reduce((sum, counts) => sum + counts.judged, 0)).toBe(sent);
    expect(ops).toHaveLength(sent);
    expect(new Set(ops.map(({ seq }) => seq)).size).toBe(sent);
    expect(exchanges.length).toBeGreaterThanOrEqual(20);
    expect(JSON.stringify(exchanges)).not.toContain("sk_test_load");
    expect(spent.promptTokens).toBe(5 * sent);
    const agents = result.health.agents!;
    expect(agents.map(({ name, lost }) => [name, lost])).toEqual([
      ["agent-1", null],
      ["agent-2", null],
      ["agent-3", null],
    ]);
    expect(agents.reduce((sum, one) => sum + one.sent, 0)).toBe(sent);
    for (const { clock: known } of agents) {
      expect(known!.contradictions).toBe(0);
      expect(known!.errorMs).toBeLessThan(10_000);
      expect(known!.highMs).toBeGreaterThan(known!.lowMs);
    }
    expect(agents[0]!.clock!.highMs).toBeLessThan(-3_000_000);
    expect(agents[1]!.clock!.lowMs).toBeGreaterThan(3_000_000);
  });

  it("spend one budget together, to the last request and not beyond", async () => {
    const shared = await target(stream);
    const { result, spent } = await run(shared, {
      manifest: manifestFor(shared.baseUrl, { budget: { maxRequests: 40, maxTokens: null, maxCostUsd: null } }),
      // Without an end of its own: what it sends is bounded by the budget alone.
      profile: { arrivals: { kind: "closed", concurrency: 4 }, durationSeconds: 30 },
    });
    expect(result.endedEarly).toMatch(/^budget: /);
    // One reading of the usage report before.
    expect(shared.seen.length).toBeLessThanOrEqual(39);
    expect(shared.seen.length).toBeGreaterThan(30);
    expect(spent.requests).toBeLessThanOrEqual(40);
    expect(spent.requests).toBeGreaterThanOrEqual(shared.seen.length);
  });

  it("send a schedule that uses up the budget whole", async () => {
    const shared = await target(stream);
    const planned = 60;
    const { result } = await run(shared, {
      manifest: manifestFor(shared.baseUrl, { budget: { maxRequests: planned + 1, maxTokens: null, maxCostUsd: null } }),
      profile: { arrivals: { kind: "constant", ratePerSecond: 30 } },
      agents: [{}, {}, {}],
    });
    expect(result.endedEarly).toBeNull();
    expect(result.counts.sent).toBe(planned);
    expect(shared.seen).toHaveLength(planned);
  });

  it("all wait when one of them was asked to", async () => {
    const shared = await target((request, response) => {
      if (request.number !== 20) {
        stream(request, response);
        return;
      }
      response.writeHead(429, { "content-type": "application/json", "retry-after": "3" });
      response.end('{"error":{"code":"rate_limited","retry_after":3}}');
    });
    const { result, lines } = await run(shared, {
      profile: { arrivals: { kind: "constant", ratePerSecond: 30 }, durationSeconds: 6, retry: { max: 0, retryAfter: "obey" } },
      agents: [{}, {}, {}],
    });
    const refusedMs = recordsOf(lines).find(({ status }) => status === 429)!.endMs;
    const errorMs = Math.max(...result.health.agents!.map(({ clock }) => clock!.errorMs));
    for (const agent of [0, 1, 2]) {
      const sends = recordsOf(lines, agent).toSorted((a, b) => a.intendedMs - b.intendedMs);
      const from = sends.findIndex(({ notSent }) => notSent === "retry-after");
      const later = sends.slice(from).filter(({ notSent }) => notSent === null);
      // How soon it is asked depends on the machine (bench/agents/hold.bench.ts): here that it is, while the wait lasts.
      expect(from).toBeGreaterThanOrEqual(0);
      // From then on it sends nothing until the wait is over, and goes on after it.
      expect(later.length).toBeGreaterThan(0);
      expect(Math.min(...later.map(({ issuedMs }) => issuedMs))).toBeGreaterThan(refusedMs + 2990 - 2 * errorMs);
    }
  });

  it("stop together when the run is interrupted, and what they sent is reported", async () => {
    const shared = await target(stream);
    const interrupt = new AbortController();
    const running = run(shared, {
      profile: { durationSeconds: 60 },
      signal: interrupt.signal,
    });
    await expect.poll(() => shared.seen.length).toBeGreaterThan(20);
    interrupt.abort();
    const { result } = await running;
    const sent = shared.seen.length;
    expect(result.endedEarly).toBe("interrupted");
    expect(result.counts.sent).toBe(sent);
    expect(result.health.agents!.map(({ lost }) => lost)).toEqual([null, null]);
  });

  it("name the one that was held up for longer than its lease, though it reports an end of its own", async () => {
    const shared = await target(stream);
    // As its clock shows it, it stood still for 4 s.
    const heldUpMs = (): number => (shared.seen.length > 20 ? 4000 : 0);
    const { result } = await run(shared, {
      profile: { durationSeconds: 30 },
      agents: [{}, { skewMs: heldUpMs }],
    });
    expect(result.validity.valid).toBe(false);
    expect(result.validity.reasons.some((reason) => reason.startsWith("agent lost: agent-2: "))).toBe(true);
    expect(result.counts.sent).toBeGreaterThan(0);
  });

  it("stop together when one of them sees its answers fail", async () => {
    const shared = await target((_, response) => {
      response.writeHead(response.req.headers["x-agent"] === "two" ? 500 : 200, { "content-type": "application/json" }).end("{}");
    });
    const manifest = manifestFor(shared.baseUrl);
    const { result } = await run(shared, {
      profile: { durationSeconds: 60, retry: { max: 0 } },
      agents: [{}, { manifest: { ...manifest, target: { ...manifest.target, headers: { "x-agent": "two" } } } }],
    });
    expect(result.endedEarly).toMatch(/^error storm: \d+ of the last \d+ requests were errors or never finished$/);
    expect(result.counts.sent).toBe(shared.seen.length);
    expect(result.health.agents!.map(({ ok }) => ok > 0)).toEqual([true, false]);
  });

  it.each(isWhole ? [8] : [])("stop together when all %i miss a gate too often, though none alone ever could", async (count) => {
    const shared = await target((_, response) => {
      response.writeHead(500, { "content-type": "application/json" }).end("{}");
    });
    const { result } = await run(shared, {
      profile: {
        arrivals: { kind: "constant", ratePerSecond: 40 },
        durationSeconds: 20,
        // 171 misses of 800 planned may still be chance where ten requests count as one; each of eight agents sends 100.
        gates: ["error_rate < 13%"],
        abort: { errorRate: 1, hopeless: true },
        retry: { max: 0 },
      },
      agents: Array.from({ length: count }, () => ({})),
    });
    expect(result.endedEarly).toMatch(/^hopeless: error_rate < 13% cannot be met any more, 172 requests missed it$/);
    expect(result.counts.sent).toBe(shared.seen.length);
    expect(result.counts.sent).toBeLessThan(800);
  });

  it("count what is more than the coordinator holds, and its figures are of all requests", async () => {
    const shared = await target(stream);
    const { result, lines } = await run(shared, {
      profile: { durationSeconds: 1.5, arrivals: { kind: "constant", ratePerSecond: 60 }, gates: ["error_rate < 10%"] },
      mostRecords: 20,
    });
    const sent = shared.seen.length;
    expect(result.endedEarly).toBeNull();
    expect(result.counts).toMatchObject({ sent, completed: sent });
    expect(result.counted).toEqual({ kept: 20, counted: sent - 20 });
    expect(result.distributions.find(({ metric }) => metric === "ttft")?.count).toBe(sent);
    expect(result.series.reduce((sum, second) => sum + second.ok, 0)).toBe(sent);
    expect(result.health.agents!.reduce((sum, agent) => sum + agent.sent, 0)).toBe(sent);
    expect(result.gates.map(({ observed }) => observed)).toEqual([0]);
    expect(lines.some((line) => line.startsWith('{"kind":"overflow"'))).toBe(true);
  });

  it("never send a share twice, though every job is started twice", async () => {
    const shared = await target(stream);
    const { result } = await run(shared, {
      profile: { durationSeconds: 1 },
      twice: true,
    });
    expect(new Set(bodies(shared)).size).toBe(shared.seen.length);
    expect(result.counts.sent).toBe(shared.seen.length);
  });

  it("leave no secret at the broker, though the target sends the key back, and nothing at all after the run", async () => {
    const secret = "sk_test_load";
    const shared = await target((_, response) => {
      response.writeHead(400, { "content-type": "application/json", "x-echo": secret });
      response.end(JSON.stringify({ error: { code: secret, message: `Bearer ${secret} is not welcome` } }));
    });
    // A broker of its own: agents of the test before may still speak while the monitor begins.
    const quiet = await startBroker();
    const redis = await openRedis(quiet.address.url);
    const monitor = await redis.monitor();
    const said: string[] = [];
    monitor.on("monitor", (_time: string, words: readonly string[]) => said.push(words.join(" ")));
    const { exchanges, result } = await run(shared, { broker: quiet.address, profile: { durationSeconds: 1 } });
    monitor.disconnect();
    const left = await redis.keys("*");
    redis.disconnect();
    await quiet.close();
    expect(result.counts.sent).toBeGreaterThan(10);
    expect(said.filter((words) => words.includes('"kind":"exchanges"')).length).toBeGreaterThan(0);
    expect(said.filter((words) => words.includes(secret))).toEqual([]);
    expect(JSON.stringify(exchanges)).not.toContain(secret);
    expect(left).toEqual([]);
  });

  it("refuse what their own manifest does not permit, and nothing is sent", async () => {
    const shared = await target(stream);
    const manifest = manifestFor(shared.baseUrl);
    const other = { ...manifest, target: { ...manifest.target, baseUrl: `${shared.baseUrl}/elsewhere` } };
    await expect(run(shared, { profile: {}, agents: [{}, { manifest: other }] })).rejects.toThrow(
      /agent-2 refuses: it serves another target; nothing was sent/,
    );
    const keyless = { ...manifest, keys: {} };
    await expect(run(shared, { profile: {}, agents: [{ manifest: keyless }] })).rejects.toThrow(
      /agent-1 refuses: no key named primary/,
    );
    expect(shared.seen).toEqual([]);
  });

  it("left nothing at the broker, however a run ended, and though they say something after its end", async () => {
    const redis = await openRedis(broker.address.url);
    const left = await redis.keys("*");
    redis.disconnect();
    expect(left).toEqual([]);
  });
});
