import { request as httpRequest } from "node:http";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { jumpingClock } from "../make/jumping-clock.ts";
import { keep } from "../make/keep.ts";
import type { LoadProfileResult } from "../../src/core/result/load-result.ts";
import type { Clock } from "../../src/core/clock.ts";
import { createRandom } from "../../src/core/random.ts";
import { createClockPacer, createWorkerPacer } from "../../src/load/send/pacer.ts";
import { createRealClock } from "../../src/wire/clock/real-clock.ts";
import { manifestFor, startTarget, streamWords, type LoadTarget } from "../make/load/load-target.ts";
import { sendProfile, shortProfile } from "../make/load/run-against.ts";
import { holdThread } from "../make/hold-thread.ts";

async function start(...parameters: Parameters<typeof startTarget>): Promise<LoadTarget> {
  return keep(await startTarget(...parameters));
}

function load(baseUrl: string, change: object = {}): Promise<LoadProfileResult> {
  const workload = [{ endpoint: "chat", outputTokens: 12 }];
  const arrivals = { kind: "poisson", ratePerSecond: 30 };
  const profile = shortProfile({ id: "proof", arrivals, durationSeconds: 1.4, workload, ...change });
  return sendProfile(profile, manifestFor(baseUrl), { seed: 3 });
}

/**
 * Share of the streams of a run that were observed to be so. Null where other work on this machine held the generator up: assay says so, and
 * what it observed then proves nothing about a target.
 */
function shareOf(id: "buffered" | "queued", { validity, health, observations }: LoadProfileResult): number | null {
  if (!validity.valid || health.taintedSeconds > 0) return null;
  const one = observations.find((observation) => observation.id === id);
  return one === undefined ? 0 : one.count / one.outOf;
}

describe("a generator that is too slow", () => {
  it("withholds the gate that its lateness could have turned, and no other", async () => {
    const target = await start((_, response) => streamWords(response, 3, 5, 5));
    // Something else on our own loop: 250 ms of every 400 ms are blocked.
    const blocker = setInterval(holdThread, 400, 250);
    const gates = ["user_latency.p90 < 1ms", "user_latency.p50 < 10s", "goodput > 0.01"];
    const result = await load(target.baseUrl, { gates }).finally(() => clearInterval(blocker));
    const [beyond, far, whole] = result.gates.map(({ verdict }) => verdict);
    expect([beyond, whole]).toEqual(["inconclusive", "pass"]);
    expect(far).not.toBe("fail");
    expect([...result.validity.reasons, ...(result.validity.remarks ?? [])].join()).toContain("generator-limited");
    expect(result.health.taintedSeconds).toBeGreaterThan(0);
    expect(result.health.loopDelayMaxMs).toBeGreaterThan(150);
  });
});

describe("a buffering proxy", () => {
  it("is named, and the same answers without it are not", async () => {
    const origin = await start((_, response) => streamWords(response, 12, 40, 10));
    const proxy = await start((_, response) => {
      const upstream = httpRequest(`${origin.baseUrl}/v1/chat/completions`, { method: "POST" }, (answer) => {
        void buffer(answer).then((bytes) => response.writeHead(200, { "content-type": "text/event-stream" }).end(bytes));
      });
      upstream.end("{}");
    });
    const buffered = await load(proxy.baseUrl);
    expect(shareOf("buffered", buffered) ?? 1).toBeGreaterThan(0.9);
    const direct = await load(origin.baseUrl);
    expect(shareOf("buffered", direct) ?? 0).toBe(0);
  });
});

describe("a queueing limiter", () => {
  it("is kept apart from a slow model by where the time goes", async () => {
    let freeAt = 0;
    const target = await start((_, response) => {
      // One request each 45 ms is let through: at 30 a second the queue grows.
      const now = Date.now();
      freeAt = Math.max(now, freeAt) + 45;
      setTimeout(() => streamWords(response, 3, 20, 5), freeAt - now - 45);
    });
    const queued = await load(target.baseUrl);
    expect(shareOf("queued", queued) ?? 1).toBeGreaterThan(0.25);
    const slow = await start(({ number }, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
      setTimeout(
        () => response.end('data: {"choices":[{"delta":{"content":"x"}}]}\n\ndata: [DONE]\n\n'),
        20 + 20 * (number % 20),
      );
    });
    const unqueued = await load(slow.baseUrl);
    expect(shareOf("queued", unqueued) ?? 0).toBe(0);
  });
});

describe("a queue (find-queue.test.ts has the servers that have one)", () => {
  const every = { arrivals: { kind: "constant", ratePerSecond: 13 }, durationSeconds: 2.5 };

  it("is not seen in a plain server, nor in one that is slow at random", async () => {
    const plain = await start((_, response) => streamWords(response, 3, 20, 5));
    const direct = await load(plain.baseUrl, every);
    expect(shareOf("queued", direct) ?? 0).toBe(0);
    const random = createRandom(5);
    const slow = await start((_, response) => void setTimeout(() => streamWords(response, 3, 20, 5), 500 * random.next()));
    const unqueued = await load(slow.baseUrl, every);
    expect(shareOf("queued", unqueued) ?? 0).toBe(0);
  });
});

describe("pacing", () => {
  const times = (clock: Clock, count: number, gapMs: number): Float64Array =>
    Float64Array.from({ length: count }, (_, index) => clock.nowMs() + 150 + gapMs * index);

  it("is never early, and misses no instant (bench/load/pacing-clients.ts measures how late it is)", async () => {
    const clock = createRealClock();
    const instants = times(clock, 1000, 0.7);
    const delays: number[] = [];
    await createWorkerPacer(clock).run(
      instants,
      (index) => delays.push(clock.nowMs() - (instants[index] ?? 0)),
      new AbortController().signal,
    );
    expect(delays).toHaveLength(1000);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
  });

  it("stops at once when it is asked to", async () => {
    const clock = createRealClock();
    const controller = new AbortController();
    let called = 0;
    // Within a call, so that others may be due already.
    const onDue = (): void => {
      called += 1;
      if (called === 20) controller.abort();
    };
    await createWorkerPacer(clock).run(times(clock, 10_000, 5), onDue, controller.signal);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(called).toBe(20);
  });

  it("follows a virtual clock", async () => {
    const clock = jumpingClock();
    const seen: number[] = [];
    await createClockPacer(clock).run(
      Float64Array.of(10, 20, 60_000),
      () => seen.push(clock.nowMs()),
      new AbortController().signal,
    );
    expect(seen).toEqual([10, 20, 60_000]);
  });
});
