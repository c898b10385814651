import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/core/clock.ts";
import type { LoadDistribution } from "../../src/core/result/load-figures.ts";
import type { LoadProfileResult } from "../../src/core/result/load-result.ts";
import type { AnswerCounts, ProgressEvent } from "../../src/core/progress.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import { runLoadProfile } from "../../src/load/run-load-profile.ts";
import { createRealClock } from "../../src/wire/clock/real-clock.ts";
import { createWire } from "../../src/wire/client/wire.ts";
import { keep } from "../make/keep.ts";
import { distributionOf, sendProfile, type SendOptions, shortProfile } from "../make/load/run-against.ts";
import { manifestFor, startTarget, streamWords, type Answer, type LoadTarget } from "../make/load/load-target.ts";

let target: LoadTarget | null = null;

async function run(
  answer: Answer,
  change: object,
  options: SendOptions & { readonly manifestChange?: Partial<Manifest> } = {},
): Promise<LoadProfileResult> {
  target = keep(await startTarget(answer));
  return sendProfile(shortProfile(change), manifestFor(target.baseUrl, options.manifestChange), options);
}

const p50 = (each: LoadDistribution): number => each.percentiles.find(({ percentile }) => percentile === 50)?.value ?? Number.NaN;

/** Reasons against the run because it ended early; a busy machine may add others. */
function earlyEnds(result: LoadProfileResult): readonly string[] {
  return result.validity.reasons.filter((reason) => reason.startsWith("ended early"));
}

/** The time of this process without its sleeps, of which each takes as long as `skip`. */
function skippingClock(skip: () => void | Promise<void>): Clock {
  const startedMs = performance.now();
  let shiftMs = 0;
  const nowMs = (): number => performance.now() - startedMs + shiftMs;
  return {
    nowMs,
    wallMs: nowMs,
    sleep: async (ms) => {
      shiftMs += ms;
      await skip();
    },
  };
}

describe("runLoadProfile", () => {
  it("measures a stream from first to last content event and keeps service, dispatch and user latency apart", async () => {
    const result = await run((_, response) => streamWords(response, 5, 40, 10), { gates: ["ttft.p50 < 60s", "errors == 0"] });
    expect(result.counts).toEqual({ planned: 40, sent: 40, completed: 40, retried: 0, resent: 0, unsent: 0 });
    expect(result.outcomes).toEqual({ ok: 40 });
    const ttft = p50(distributionOf(result, "ttft"));
    expect(ttft).toBeGreaterThanOrEqual(39);
    // Definitions are held by measure-exchange.test.ts; a busy machine reads both events at once.
    expect(p50(distributionOf(result, "ttfe"))).toBeLessThanOrEqual(ttft);
    expect(p50(distributionOf(result, "service-latency"))).toBeGreaterThanOrEqual(ttft);
    expect(p50(distributionOf(result, "user-latency"))).toBeGreaterThanOrEqual(p50(distributionOf(result, "service-latency")));
    expect(distributionOf(result, "dispatch-delay").count).toBe(40);
    expect(distributionOf(result, "dispatch-delay").min).toBeGreaterThanOrEqual(0);
    expect(distributionOf(result, "inter-chunk").count).toBeGreaterThan(120);
    expect(distributionOf(result, "tpot").estimated).toBe(false);
    expect(distributionOf(result, "inter-token").estimated).toBe(true);
    // Which verdicts stand on a busy machine is the matter of withhold-gates.test.ts.
    expect(result.gates.map(({ observed }) => observed! < 60_000)).toEqual([true, true]);
    expect(result.goodFraction).toBe(1);
    expect(result.health.littleDiscrepancy).not.toBeNull();
  });

  it("says what came back while it runs, in sums and not in events", async () => {
    const events: Extract<ProgressEvent, { kind: "load" }>[] = [];
    const result = await run(
      ({ number }, response) => {
        const status = [200, 200, 429, 400, 200][number % 5] ?? 200;
        // Cut within the body: a reset before the head would be taken for a race and sent again.
        if (number % 10 === 0) response.writeHead(200, { "content-length": "9" }).write("{", () => response.destroy());
        else response.writeHead(status, { "content-type": "application/json" }).end("{}");
      },
      { workload: [{ endpoint: "models" }], abort: { errorRate: 1 }, retry: { max: 0, retryAfter: "ignore" } },
      { onProgress: (event) => void (event.kind === "load" && events.push(event)) },
    );
    const sum = (member: keyof AnswerCounts): number =>
      events.reduce((total, event) => total + (event.answers?.[member] ?? 0), 0);
    const { outcomes } = result;
    expect([sum("succeeded"), sum("limited"), sum("clientErrors"), sum("unanswered")]).toEqual([
      outcomes.ok,
      outcomes["rate-limited"],
      outcomes["client-error"],
      outcomes["transport-error"],
    ]);
    expect(sum("unanswered")).toBeGreaterThan(0);
    // Four a second and one at the end, whatever the number of answers.
    expect(events.length).toBeLessThanOrEqual(2 + (4 * events.at(-1)!.elapsedMs) / 1000);
  });

  it("shows a stall of the server in user latency", async () => {
    const held: ServerResponse[] = [];
    const result = await run(
      ({ number }, response) => {
        held.push(response);
        // The twelfth begins it, and the thirty-sixth is the first that is answered again.
        if (number >= 12 && number < 36) return;
        for (const each of held.splice(0)) each.writeHead(200, { "content-type": "application/json" }).end('{"choices":[]}');
      },
      { workload: [{ endpoint: "chat", stream: false }], timeoutSeconds: 300 },
    );
    // An open loop goes on sending into the stall, one in 25 ms; a closed one would have sent one request.
    const user = distributionOf(result, "user-latency");
    expect(user.count).toBe(40);
    expect(user.percentiles.find(({ percentile }) => percentile === 75)?.value ?? 0).toBeGreaterThan(100);
    expect(user.max).toBeGreaterThan(300);
  });

  it("keeps rejects out of the latency of answers and obeys Retry-After", async () => {
    const result = await run(
      (request, response) => {
        if (request.number > 10) {
          response.writeHead(429, { "content-type": "application/json", "retry-after": "1" });
          response.end(JSON.stringify({ error: { code: "rate_limited", message: "slow down" }, "retry-after": 1 }));
        } else streamWords(response, 3, 20, 5);
      },
      // Long enough that the first reject is read, on any machine, before the last request is due.
      {
        arrivals: { kind: "constant", ratePerSecond: 10 },
        durationSeconds: 4,
        gates: ["reject_rate < 90%", "dropped_rate < 99%"],
      },
    );
    expect(result.outcomes.ok).toBe(10);
    expect(result.outcomes["rate-limited"]).toBeGreaterThanOrEqual(1);
    expect(result.outcomes["not-sent"]).toBeGreaterThan(0);
    expect(result.notSent).toEqual({ "retry-after": result.outcomes["not-sent"] });
    expect(distributionOf(result, "user-latency").count).toBe(10);
    expect(distributionOf(result, "user-latency", "rate-limited").count).toBe(result.outcomes["rate-limited"]);
    expect(result.goodFraction).toBeCloseTo(10 / 40);
  });

  it("distinguishes sends that maxInFlight held back from those that the budget did", async () => {
    // Longer than the second in which all are due.
    const slow: Answer = (_, response) => void setTimeout(() => response.end("{}"), 2000);
    const models = { workload: [{ endpoint: "models" }] };
    const full = await run(slow, { ...models, maxInFlight: 4 });
    expect(full.outcomes["not-sent"]).toBeGreaterThan(10);
    expect(full.notSent).toEqual({ "max-in-flight": full.outcomes["not-sent"] });
    const budget = { maxRequests: 12, maxTokens: null, maxCostUsd: null };
    const closed = { ...models, arrivals: { kind: "closed", concurrency: 2, rampSeconds: 0 }, durationSeconds: 300 };
    const spent = await run((_, response) => response.end("{}"), closed, { manifestChange: { budget } });
    expect(spent.endedEarly).toContain("budget");
    expect(spent.notSent).toEqual({ budget: spent.outcomes["not-sent"] });
    expect((await run((_, response) => response.end("{}"), models)).notSent).toEqual({});
  });

  it("ends early on an error storm and says so", async () => {
    const storm: Answer = (_, response) => response.writeHead(500, { "content-type": "application/json" }).end("{}");
    const result = await run(storm, { durationSeconds: 120, gates: ["error_rate < 1%"] });
    expect(result.endedEarly).toContain("error storm");
    expect(result.counts.sent).toBeLessThan(result.counts.planned / 2);
    expect([result.gates[0]?.verdict, earlyEnds(result)]).toEqual(["fail", []]);
    // Without a gate that fails the run must not look green.
    const ungated = await run(storm, { durationSeconds: 120 });
    expect(ungated.validity.reasons.join()).toContain("error storm");
  });

  it("ends when a gate cannot be met any more, if the profile says so", async () => {
    const slow = { durationSeconds: 20, gates: ["ttft.p90 < 20ms"], abort: { hopeless: true } };
    const result = await run((_, response) => streamWords(response, 2, 400, 5), slow);
    expect(result.endedEarly).toContain("hopeless: ttft.p90 < 20ms");
    expect(earlyEnds(result)).toEqual([]);
    // A tenth of 800 may miss the bound, and some more by chance: of so many misses the gate would fail without a further one.
    expect(result.outcomes.ok).toBeGreaterThan(50);
    expect(result.outcomes.ok).toBeLessThan(400);
    expect(result.gates.map(({ observed }) => observed! > 20)).toEqual([true]);
  });

  it("keeps a closed loop at its concurrency", async () => {
    let open = 0;
    let most = 0;
    const enough = new AbortController();
    const result = await run(
      ({ number }, response) => {
        open += 1;
        most = Math.max(most, open);
        if (number === 60) enough.abort();
        setTimeout(() => {
          open -= 1;
          response.writeHead(200, { "content-type": "application/json" }).end("{}");
        }, 10);
      },
      {
        arrivals: { kind: "closed", concurrency: 4, rampSeconds: 0 },
        workload: [{ endpoint: "models" }],
        durationSeconds: 300,
      },
      { signal: enough.signal },
    );
    expect(most).toBe(4);
    // Each loop goes on, at whatever pace.
    expect(result.counts.completed).toBeGreaterThanOrEqual(56);
  });

  it("lets the silence between bursts pass on a virtual clock, with no answer under way", async () => {
    const startedMs = performance.now();
    let open = 0;
    const openAtJumps: number[] = [];
    const clock = skippingClock(() => void openAtJumps.push(open));
    const result = await run(
      (_, response) => {
        open += 1;
        setTimeout(() => {
          open -= 1;
          response.writeHead(200, { "content-type": "application/json" }).end("{}");
        }, 30);
      },
      {
        arrivals: {
          kind: "bursts",
          bursts: [
            { at: 0, size: 3 },
            { at: 61, size: 4 },
          ],
          spreadMs: 0,
        },
        durationSeconds: 130,
        workload: [{ endpoint: "models" }],
      },
      { clock, virtualTime: true },
    );
    expect(result.outcomes).toEqual({ ok: 7 });
    expect(openAtJumps.length).toBeGreaterThan(1);
    expect(new Set(openAtJumps)).toEqual(new Set([0]));
    expect(distributionOf(result, "user-latency").max).toBeLessThan(30_000);
    expect(result.durationMs).toBeGreaterThan(61_000);
    // In less than the silence that it skipped.
    expect(performance.now() - startedMs).toBeLessThan(61_000);
  });

  it("does not take the time that a jump of a virtual clock takes for lateness", async () => {
    const clock = skippingClock(() => new Promise((resolve) => void setTimeout(resolve, 25)));
    const bursts = Array.from({ length: 60 }, (_, index) => ({ at: 5 * index, size: 1 }));
    const result = await run(
      (_, response) => response.writeHead(200, { "content-type": "application/json" }).end("{}"),
      {
        arrivals: { kind: "bursts", bursts },
        durationSeconds: 300,
        workload: [{ endpoint: "models" }],
      },
      { clock, virtualTime: true },
    );
    expect(result.outcomes).toEqual({ ok: 60 });
    expect(result.validity.reasons.filter((reason) => reason.includes("sends left"))).toEqual([]);
  });

  it("hands warm-up over undrained and counts nothing of it", async () => {
    let arrived = 0;
    const held: ServerResponse[] = [];
    const end = (response: ServerResponse): void =>
      void response.writeHead(200, { "content-type": "application/json" }).end("{}");
    // The answers of the warm-up wait for a request that counts: a load that drained before would send none.
    const result = await run(
      (_, response) => {
        arrived += 1;
        if (arrived <= 20) held.push(response);
        else for (const each of [...held.splice(0), response]) end(each);
      },
      { warmUpSeconds: 0.5, workload: [{ endpoint: "models" }] },
    );
    // 20 sends of warm-up and 40 that count.
    expect(arrived).toBe(60);
    expect(result.counts.sent).toBe(60);
    expect(result.warmUpMs).toBe(500);
    expect(result.outcomes).toEqual({ ok: 40 });
    expect(distributionOf(result, "user-latency").count).toBe(40);
    expect(result.rates.offered).toBeCloseTo(40);
  });

  it("replays a trace at another speed, with the lengths that it reports", async () => {
    const trace = [0, 200, 200, 1400].map((atMs, index) => ({ atMs, promptTokens: 10 + index, outputTokens: 3 + index }));
    const result = await run(
      (_, response) => streamWords(response, 2, 5, 5),
      { arrivals: { kind: "trace", file: "trace.jsonl", format: "jsonl", speed: 2 }, durationSeconds: 120 },
      { trace },
    );
    expect(result.counts).toMatchObject({ planned: 4, sent: 4 });
    const bodies = target?.seen.map(({ body }) => body as { max_tokens: number; messages: { content: string }[] }) ?? [];
    expect(bodies.map(({ max_tokens: tokens }) => tokens).toSorted((a, b) => a - b)).toEqual([3, 4, 5, 6]);
    // Each word is one token, the first ones too.
    expect(bodies.map(({ messages }) => messages[0]?.content.split(" ").length).toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual([
      10, 11, 12, 13,
    ]);
    // 1.4 s of trace at double speed, and a second for the last answer.
    expect(result.durationMs).toBeGreaterThan(1650);
    expect(result.durationMs).toBeLessThan(100_000);
  });

  it("sends the whole conversation with every turn", async () => {
    const enough = new AbortController();
    const answer: Answer = ({ body }, response) => {
      streamWords(response, 2, 5, 5);
      if ((body as { messages: unknown[] }).messages.length === 5) enough.abort();
    };
    const arrivals = { kind: "sessions", ratePerSecond: 4, turns: 3, thinkSeconds: 0 };
    await run(answer, { arrivals, durationSeconds: 120 }, { signal: enough.signal });
    const lengths = target?.seen.map(({ body }) => (body as { messages: unknown[] }).messages.length) ?? [];
    expect(new Set(lengths)).toEqual(new Set([1, 3, 5]));
  });

  it("refuses what the manifest does not permit", async () => {
    const { exhaustLimits: _, ...permissions } = manifestFor("http://x.test").permissions;
    const manifest = manifestFor("http://api.example.test", {
      permissions: { ...permissions, exhaustLimits: false, loadUpToRps: 10 },
    });
    const clock = createRealClock();
    const wire = createWire({ manifest, clock });
    const attempt = runLoadProfile({
      profile: shortProfile({ needs: ["exhaustLimits"] }),
      manifest,
      sender: wire,
      clock,
      seed: 1,
    });
    await expect(attempt).rejects.toThrow(/exhaustLimits is not granted; it sends up to 40 requests in one second/);
    await wire.close();
  });
});
