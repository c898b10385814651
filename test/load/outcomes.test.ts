import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import { chunkEvent, streamWords, type Answer } from "../make/load/load-target.ts";
import { distributionOf, runAgainst } from "../make/load/run-against.ts";

describe("what becomes of each request of a profile", () => {
  it("counts streams that end cut or hold no JSON as errors, not as answers", async () => {
    const result = await runAgainst(
      ({ number }, response) => {
        // The first ones show the form that streams of this target have.
        if (number > 8 && number % 4 === 1)
          response.writeHead(200, { "content-type": "text/event-stream" }).end("data: hello\n\ndata: world\n\n");
        else if (number % 4 === 2)
          response.writeHead(200, { "content-type": "text/event-stream" }).end(chunkEvent({ content: "a" }));
        else streamWords(response, 2, 5, 5);
      },
      { abort: { errorRate: 1 }, gates: ["error_rate < 1%", "goodput > 0.9"] },
    );
    expect(result.outcomes).toEqual({ ok: 22, "server-error": 18 });
    expect(result.goodFraction).toBe(0.55);
    expect([distributionOf(result, "ttft").count, distributionOf(result, "user-latency").count]).toEqual([22, 22]);
    // Errors of this kind speak of the target also where the run is invalid.
    expect(result.gates[0]?.verdict).toBe("fail");
  });

  it("keeps what came of streams that the interrupt cuts off, and judges nothing by their end", async () => {
    const controller = new AbortController();
    const exchanges: Exchange[] = [];
    let [asked, written] = [0, 0];
    const result = await runAgainst(
      ({ number }, response) => {
        asked = number;
        // The last of four sends no head at all. The interrupt comes when all are under way and the others have sent enough.
        if (number === 4) return;
        const next = (): void => {
          if (response.destroyed) return;
          response.write(chunkEvent({ content: "word " }));
          written += 1;
          if (written > 90 && asked === 4) controller.abort();
          setTimeout(next, 20);
        };
        response.writeHead(200, { "content-type": "text/event-stream" });
        next();
      },
      {
        arrivals: { kind: "closed", concurrency: 4, rampSeconds: 0 },
        durationSeconds: 600,
        timeoutSeconds: 300,
        gates: ["errors == 0"],
      },
      { signal: controller.signal, onExchange: (exchange) => exchanges.push(exchange) },
    );
    expect([result.counts.sent, result.outcomes]).toEqual([4, { interrupted: 4 }]);
    expect(distributionOf(result, "ttft").count).toBe(3);
    expect(distributionOf(result, "dispatch-delay").count).toBe(4);
    expect(distributionOf(result, "inter-chunk").count).toBeGreaterThan(60);
    expect((result.rates.outputTokens! * result.durationMs) / 1000).toBeGreaterThan(60);
    // Their ends are ours, not those of the target.
    const metrics = result.distributions.map(({ metric }) => metric);
    for (const metric of ["service-latency", "user-latency", "tpot", "longest-stall", "tokens-per-second"])
      expect(metrics).not.toContain(metric);
    expect(result.streams.length).toBeGreaterThan(0);
    expect(result.observations).toContainEqual(expect.objectContaining({ id: "interrupted", count: 4, outOf: 4 }));
    expect(result.series.map(({ failed }) => failed)).not.toContain(1);
    expect(result.validity.reasons).toEqual(expect.arrayContaining(["ended early: interrupted"]));
    expect(result.validity.reasons.join()).not.toContain("nothing was measured");
  });

  it("measures the first requests of a closed loop too", async () => {
    const result = await runAgainst((_, response) => void setTimeout(() => response.end("{}"), 600), {
      arrivals: { kind: "closed", concurrency: 3 },
      workload: [{ endpoint: "models" }],
    });
    expect([result.counts.sent, result.outcomes]).toEqual([6, { ok: 6 }]);
  });

  it("ramps down on interrupt: nothing more is sent, answers in flight are kept", async () => {
    const controller = new AbortController();
    let asked = 0;
    const result = await runAgainst(
      (_, response) => {
        asked += 1;
        if (asked === 5) controller.abort();
        streamWords(response, 4, 50, 20);
      },
      { durationSeconds: 120 },
      { signal: controller.signal },
    );
    expect(result.durationMs).toBeLessThan(100_000);
    expect(result.validity.reasons).toContain("ended early: interrupted");
    expect(asked).toBeGreaterThanOrEqual(5);
    expect(result.outcomes.ok).toBe(result.counts.sent);
  });

  it("retries as the profile says and counts the attempts apart", async () => {
    const failed = new Set<string>();
    const exchanges: Exchange[] = [];
    const result = await runAgainst(
      (request, response) => {
        const key = JSON.stringify(request.body);
        if (failed.has(key)) streamWords(response, 2, 5, 5);
        else {
          failed.add(key);
          // Of the last requests it comes after the profile would end: they are repeated as all others are.
          const refuse = (): void =>
            void response
              .writeHead(503, { "content-type": "application/json", "retry-after": "0" })
              .end('{"error":{"code":"overloaded"}}');
          setTimeout(refuse, 250);
        }
      },
      { retry: { max: 1 }, abort: { errorRate: 1 }, arrivals: { kind: "constant", ratePerSecond: 10 } },
      { onExchange: (exchange) => exchanges.push(exchange) },
    );
    // Every second attempt is the child of a first one, and counts from when that was intended.
    const children = exchanges.filter(({ attempt }) => attempt === 2);
    const parents = new Map(exchanges.filter(({ attempt }) => attempt === 1).map((exchange) => [exchange.seq, exchange]));
    expect(children).toHaveLength(10);
    for (const child of children) {
      const parent = parents.get(child.retryOf ?? 0);
      expect([parent?.label, parent?.timing.intendedMs]).toEqual([child.label, child.timing.intendedMs]);
    }
    expect(result.counts.retried).toBe(10);
    expect(result.goodFraction).toBe(1);
    expect(result.outcomes).toEqual({ ok: 10, "server-error": 10 });
  });

  it("does not wait for days because a target says so", async () => {
    const far: Answer = (_, response) =>
      response
        .writeHead(429, { "content-type": "application/json", "retry-after": "2592000" })
        .end('{"error":{"code":"rate_limited"}}');
    const result = await runAgainst(far, {
      retry: { max: 3, retryAfter: "ignore" },
      arrivals: { kind: "constant", ratePerSecond: 10 },
    });
    expect(result.counts.retried).toBe(0);
    expect(result.outcomes).toEqual({ "rate-limited": 10 });
    expect(result.durationMs).toBeLessThan(60_000);
  });
});
