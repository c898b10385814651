import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { PassiveCounts } from "../../../src/conformance/verdict/passive-validator.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import type { AnswerCounts } from "../../../src/core/progress.ts";
import type { LimitOp } from "../../../src/limits/history/op.ts";
import type { LoadWorkers } from "../../../src/load/workers/load-workers.ts";
import { readProfile } from "../../../src/load/plan/read-profile.ts";
import { runLoadProfile } from "../../../src/load/run-load-profile.ts";
import { createThreadWorkers } from "../../../src/run/workers/thread-workers.ts";
import { createBudget } from "../../../src/wire/budget/budget.ts";
import { allocateSharedCounters, createSharedCounters } from "../../../src/wire/budget/budget-counters.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { createWire } from "../../../src/wire/client/wire.ts";
import { manifestFor, startTarget, streamWords, type Answer, type LoadTarget } from "../../make/load/load-target.ts";
import type { AgentRunSeen } from "../../features/agents/run-with-agents.ts";
import { makeShare } from "../../make/results/make-load-result.ts";
import { keep } from "../../make/keep.ts";

let target: LoadTarget | null = null;

interface Seen extends Omit<AgentRunSeen, "lines"> {
  /** Of each worker: requests in flight times milliseconds, as counted and as its records add up. */
  readonly areas: readonly { readonly areaMs: number; readonly ofRecordsMs: number }[];
  readonly answers: AnswerCounts;
  readonly lastSeq: number;
}

interface Options {
  readonly workerCount: number;
  readonly manifestChange?: Partial<Manifest>;
  readonly signal?: AbortSignal;
}

async function run(answer: Answer, change: object, { workerCount, manifestChange, signal }: Options): Promise<Seen> {
  target = keep(await startTarget(answer));
  const manifest = manifestFor(target.baseUrl, manifestChange);
  const base = {
    id: "workers",
    title: "Workers",
    arrivals: { kind: "poisson", ratePerSecond: 60 },
    durationSeconds: 1.5,
    timeoutSeconds: 5,
    workload: [
      { endpoint: "chat", promptTokens: { kind: "normal", mean: 30, standardDeviation: 9, min: 5, max: 90 }, outputTokens: 3 },
    ],
  };
  const profile = readProfile(JSON.stringify({ ...base, ...change }), "workers");
  const clock = createRealClock();
  const memory = allocateSharedCounters();
  const seq = new SharedArrayBuffer(4);
  const budget = createBudget(manifest, createSharedCounters(memory));
  const exchanges: Exchange[] = [];
  const ops: LimitOp[] = [];
  const passive: PassiveCounts[] = [];
  const workers = createThreadWorkers({
    workerCount,
    budget: memory,
    seq,
    judge: {
      evidence: { first: 20, failed: 5 },
      onExchange: (exchange) => exchanges.push(exchange),
      onOp: (op) => ops.push(op),
      onPassive: (counts) => passive.push(counts),
    },
    onTransportRaces: () => {},
  });
  const areas: { areaMs: number; ofRecordsMs: number }[] = [];
  const watched: LoadWorkers = {
    count: workerCount,
    async measure(order) {
      const shares = await workers.measure(order);
      for (const { areaMs, records } of shares) areas.push({ areaMs, ofRecordsMs: makeShare(records).areaMs });
      return shares;
    },
  };
  const answers = { succeeded: 0, limited: 0, clientErrors: 0, serverErrors: 0, unanswered: 0 };
  const ends: string[] = [];
  const wire = keep(createWire({ manifest, clock, budget, nextSeq: () => Atomics.add(new Int32Array(seq), 0, 1) + 1 }));
  const result = await runLoadProfile({
    profile,
    manifest,
    sender: wire,
    clock,
    seed: 5,
    workers: workerCount > 1 ? watched : null,
    onSent: () => void ends.push("sent"),
    endBeside: async () => void ends.push("answered"),
    onProgress(event) {
      if (event.kind !== "load" || event.answers === undefined) return;
      for (const [member, count] of Object.entries(event.answers)) answers[member as keyof AnswerCounts] += count;
    },
    ...(signal === undefined ? {} : { signal }),
  });
  return { result, areas, exchanges, ops, passive, answers, ends, spent: budget.spent(), lastSeq: new Int32Array(seq)[0] ?? 0 };
}

const bodies = (from: LoadTarget | null): readonly string[] => (from?.seen ?? []).map(({ body }) => JSON.stringify(body)).sort();

describe("workers in threads", () => {
  it("sends the one schedule that a single loop sends, and sums up what all saw", async () => {
    const answer: Answer = (_, response) => streamWords(response, 3, 10, 5);
    const alone = await run(answer, {}, { workerCount: 1 });
    const wanted = bodies(target);
    await target?.close();
    const { result, areas, exchanges, ops, passive, answers, ends, spent, lastSeq } = await run(answer, {}, { workerCount: 2 });
    const sent = result.counts.sent;
    expect(sent).toBeGreaterThan(60);
    expect(bodies(target)).toEqual(wanted);
    expect(result.counts).toEqual(alone.result.counts);
    expect(result.outcomes).toEqual({ ok: sent });
    // Every loop sent its share, at the instants of the schedule.
    expect(result.series.reduce((sum, second) => sum + second.offered, 0)).toBe(sent);
    expect(result.distributions.find(({ metric }) => metric === "ttft")?.count).toBe(sent);
    expect(result.health.loops).toBe(2);
    // Ends are noticed late on a busy machine and never early: what is missing of a worker would lack.
    expect(areas).toHaveLength(2);
    for (const { areaMs, ofRecordsMs } of areas) expect(areaMs).toBeGreaterThan(ofRecordsMs - 1);
    const [area, ofRecords] = [areas[0]!.areaMs + areas[1]!.areaMs, areas[0]!.ofRecordsMs + areas[1]!.ofRecordsMs];
    expect(result.health.littleDiscrepancy).toBeCloseTo((area - ofRecords) / area, 6);
    expect(answers.succeeded).toBe(sent);
    // All of them have sent once, whatever their number is.
    expect(ends).toEqual(["sent", "answered"]);
    expect(ends).toEqual(alone.ends);
    // Judges, evidence and the limit monitor missed nothing, and no number was given out twice.
    expect(passive.reduce((sum, counts) => sum + counts.judged, 0)).toBe(sent);
    expect(ops).toHaveLength(sent);
    expect(new Set(ops.map(({ seq }) => seq)).size).toBe(sent);
    expect(Math.max(...ops.map(({ seq }) => seq))).toBe(lastSeq);
    expect(exchanges).toHaveLength(20);
    expect(new Set(exchanges.map(({ connection }) => Math.floor((connection?.id ?? 0) / 1e6)))).toEqual(new Set([1, 2]));
    // The question for the usage report is a request, too.
    expect(spent.requests).toBe(sent + 1);
    expect(spent.promptTokens).toBe(5 * sent);
  });

  describe("searches", () => {
    const answerWith = (response: ServerResponse, status: number): unknown =>
      response.writeHead(status, { "content-type": "application/json" }).end('{"choices":[]}');
    /** Serves what the first two rates send, and refuses all that comes later. */
    const crowded: Answer = ({ number }, response) => answerWith(response, number <= 72 + 90 ? 200 : 429);
    // A rate is met or not by what it is answered, however late this machine is.
    const chat = {
      workload: [{ endpoint: "chat", stream: false }],
      slo: { userLatencyMs: 30_000 },
      timeoutSeconds: 30,
      retry: { max: 0 },
    };
    const sweep = { kind: "sweep", ratesPerSecond: [80, 100, 120, 140], secondsPerRate: 0.9, gaps: "even" };
    const short = { ...sweep, ratesPerSecond: [10, 20, 80, 120], secondsPerRate: 0.6 };
    const sendsOf = ({ steps }: LoadProfileResult): number =>
      steps.reduce((sum, step) => sum + Math.round(0.9 * step.offered), 0);

    it("find the knee as one loop does, by one decision over the records of all", async () => {
      const alone = await run(crowded, { ...chat, arrivals: sweep }, { workerCount: 1 });
      const wanted = bodies(target);
      await target?.close();
      const { result } = await run(crowded, { ...chat, arrivals: sweep }, { workerCount: 2 });
      expect(result.health.loops).toBe(2);
      // The search ends at the fourth rate, or at the third where that could not be sent in time.
      for (const { steps, knee } of [alone.result, result]) {
        expect(steps.slice(0, 2).map(({ verdict }) => verdict)).toEqual(["pass", "pass"]);
        expect(steps.slice(2).map(({ goodput }) => goodput)).toEqual(steps.slice(2).map(() => 0));
        expect(knee?.offered).toBe(100);
        expect(steps.length).toBeGreaterThan(2);
        expect(steps.map(({ offered }) => offered)).toEqual(sweep.ratesPerSecond.slice(0, steps.length));
      }
      expect(result.counts).toMatchObject({ planned: sendsOf(result), sent: sendsOf(result) });
      expect(result.series.reduce((sum, second) => sum + second.offered, 0)).toBe(sendsOf(result));
      // Bodies go by their place in the one schedule: the shorter search sent the beginning of the longer.
      const sent = bodies(target);
      const [fewer, more] = sent.length < wanted.length ? [sent, wanted] : [wanted, sent];
      expect(new Set(more).size).toBe(more.length);
      expect(fewer.filter((body) => !more.includes(body))).toEqual([]);
      expect(alone.result.steps.length === result.steps.length).toBe(sent.length === wanted.length);
    });

    it("judges a rate by all workers: what is good in one and bad in the other is half good", async () => {
      // Every second request of the one schedule is refused, and those all fall to one of the two workers.
      const refused = new Set<string>();
      const { result } = await run(
        ({ number, body }, response) => {
          const isRefused = number % 2 === 0;
          if (isRefused) refused.add(JSON.stringify(body));
          answerWith(response, isRefused ? 429 : 200);
        },
        {
          ...chat,
          arrivals: { kind: "bisect", lowPerSecond: 20, highPerSecond: 40, secondsPerProbe: 1, maxProbes: 4, gaps: "even" },
        },
        { workerCount: 2 },
      );
      expect(refused.size).toBe(10);
      expect(result.steps).toHaveLength(1);
      expect(result.steps[0]).toMatchObject({ offered: 20, achieved: 20, goodput: 10 });
      expect(result.steps[0]?.verdict).not.toBe("pass");
      expect(result.knee).toBeNull();
    });

    it("end in all workers when one is stopped, with the rates that were judged until then", async () => {
      const controller = new AbortController();
      const { result } = await run(
        ({ number }, response) => {
          // In the second rate: the first has six requests.
          if (number === 12) controller.abort();
          answerWith(response, 200);
        },
        { ...chat, arrivals: short },
        { workerCount: 2, signal: controller.signal },
      );
      expect(result.endedEarly).toBe("interrupted");
      expect(result.steps.map(({ offered }) => offered)).toEqual([10]);
      await target?.close();
      const storm = await run(
        ({ number }, response) => answerWith(response, number <= 6 ? 200 : 500),
        { ...chat, arrivals: { ...short, ratesPerSecond: [10, 60, 80] }, abort: { minimum: 8 } },
        { workerCount: 2 },
      );
      expect(storm.result.endedEarly).toContain("error storm");
      expect(storm.result.steps.map(({ offered }) => offered)).toEqual([10]);
    });
  });

  it("keeps to one budget", async () => {
    const { result, spent } = await run(
      (_, response) => response.writeHead(200, { "content-type": "application/json" }).end("{}"),
      { workload: [{ endpoint: "models" }], arrivals: { kind: "closed", concurrency: 7 }, durationSeconds: 20 },
      { workerCount: 2, manifestChange: { budget: { maxRequests: 400, maxTokens: null, maxCostUsd: null } } },
    );
    expect(target?.seen).toHaveLength(400);
    expect(spent.requests).toBe(400);
    expect(result.endedEarly).toContain("budget");
    expect(result.validity.valid).toBe(false);
  });

  it("splits a closed loop, holds back all workers for a promised wait and ends all on an interrupt", async () => {
    const controller = new AbortController();
    let open = 0;
    let most = 0;
    let refusedMs: number | null = null;
    const afterRefusal: number[] = [];
    const waitMs = 3000;
    const { result } = await run(
      ({ number }, response) => {
        open += 1;
        most = Math.max(most, open);
        const nowMs = performance.now();
        if (refusedMs !== null) afterRefusal.push(nowMs - refusedMs);
        // The wait is over: both workers go on.
        if (refusedMs !== null && nowMs - refusedMs > waitMs) controller.abort();
        const refuse = number === 200;
        setTimeout(() => {
          open -= 1;
          if (refuse) refusedMs = performance.now();
          response.writeHead(refuse ? 429 : 200, {
            "content-type": "application/json",
            ...(refuse ? { "retry-after": String(waitMs / 1000) } : {}),
          });
          response.end(refuse ? `{"error":{"code":"rate_limited"},"retry-after":${waitMs / 1000}}` : "{}");
        }, 5);
      },
      { workload: [{ endpoint: "models" }], arrivals: { kind: "closed", concurrency: 5 }, durationSeconds: 60 },
      { workerCount: 2, signal: controller.signal },
    );
    expect(most).toBe(5);
    expect(result.validity.reasons).toContain("ended early: interrupted");
    // Requests under way when the refusal was read still arrive, and the machine decides when it was read; then there is silence.
    const silences = afterRefusal.map((ms, index) => ms - (afterRefusal[index - 1] ?? 0));
    expect(Math.max(...silences)).toBeGreaterThan(waitMs / 2);
  });

  it("ends with the fault of a loop instead of waiting for ever", async () => {
    const manifest = manifestFor("http://127.0.0.1:9");
    const workers = createThreadWorkers({
      workerCount: 2,
      budget: allocateSharedCounters(),
      seq: new SharedArrayBuffer(4),
      judge: null,
      onTransportRaces: () => {},
    });
    const measured = workers.measure({
      profile: readProfile(
        '{"id":"p","title":"P","arrivals":{"kind":"constant","ratePerSecond":5},"workload":[{"endpoint":"models"}]}',
        "p",
      ),
      // A wire that cannot be opened: the workers find out, and nobody before them.
      manifest: { ...manifest, target: { ...manifest.target, tls: { rejectUnauthorized: true, caFile: "no-such-file.pem" } } },
      clock: createRealClock(),
      seed: 1,
      trace: null,
      signal: new AbortController().signal,
      onProgress: () => {},
    });
    await expect(measured).rejects.toThrow(/no-such-file/);
  });
});
