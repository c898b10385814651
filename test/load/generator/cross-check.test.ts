import { describe, expect, it } from "vitest";
import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import { fenceAutocannon } from "../../../src/load/generator/cross-check.ts";
import { createBudget } from "../../../src/wire/budget/budget.ts";
import { keep } from "../../make/keep.ts";
import { manifestFor, startTarget, type Answer } from "../../make/load/load-target.ts";
import { sendProfile, shortProfile } from "../../make/load/run-against.ts";

const figures = {
  duration: 10,
  requests: { average: 800, total: 8000, sent: 8010 },
  latency: { mean: 12 },
  errors: 0,
  non2xx: 0,
};

describe("fenceAutocannon", () => {
  it("lets figures through that agree with each other", () => {
    expect(fenceAutocannon(figures, 10, 400, 1e6)).toMatchObject({ meanLatencyMs: 12, ratio: 0.5, problems: [] });
  });

  it("drops a latency that Little's law forbids", () => {
    // Seen on a server that closes connections after 20 answers: 846/s over one connection at a mean of 14 ms.
    const shifted = { ...figures, requests: { average: 846, total: 8460, sent: 8461 }, latency: { mean: 14 } };
    expect(fenceAutocannon(shifted, 1, 800, 1e6)).toMatchObject({ meanLatencyMs: null, problems: ["little"] });
  });

  it("notices requests that were sent and never counted", () => {
    // Bodies that end with the connection: 790 sent, none counted, no error.
    const lost = { ...figures, requests: { average: 0, total: 0, sent: 790 }, latency: { mean: 0 } };
    expect(fenceAutocannon(lost, 10, 80, 1e6)).toMatchObject({ problems: ["lost-requests"], ratio: null });
  });
});

describe("the saturation profile", () => {
  const saturate = async (
    maxRequests: number | null,
    { thinkMs = 0, durationSeconds = 0.5 }: { readonly thinkMs?: number; readonly durationSeconds?: number } = {},
  ): Promise<{ result: LoadProfileResult; spent: number; total: number }> => {
    const profile = shortProfile({
      engine: "autocannon",
      arrivals: { kind: "closed", concurrency: 4, thinkMs, rampSeconds: 0 },
      durationSeconds,
      workload: [{ endpoint: "models" }],
    });
    const answer: Answer = (_, response) => response.writeHead(200, { "content-type": "application/json" }).end('{"data":[]}');
    const target = keep(await startTarget(answer));
    const manifest = manifestFor(target.baseUrl, { budget: { maxRequests, maxTokens: null, maxCostUsd: null } });
    const budget = createBudget(manifest);
    const result = await sendProfile(profile, manifest, { budget });
    return { result, spent: budget.spent().requests, total: target.seen.length };
  };

  it("sets autocannon's rate beside ours in one result", async () => {
    const { result, spent, total } = await saturate(null);
    expect(result.crossCheck).toMatchObject({ tool: "autocannon", connections: 4, non2xx: 0, problems: [] });
    expect(result.crossCheck?.requestsPerSecond).toBeGreaterThan(0);
    expect(result.crossCheck?.ourRequestsPerSecond).toBe(result.rates.ok);
    expect(JSON.stringify(result)).not.toContain("sk_test_load");
    // Requests that it sent count as sent by the run; the last ones of its connections may never have been read.
    expect(spent - total).toBeGreaterThanOrEqual(0);
    expect(spent - total).toBeLessThanOrEqual(4);
  });

  it("takes what autocannon may send from the budget, and counts what it sent", async () => {
    const { result, spent, total } = await saturate(70, { thinkMs: 1000, durationSeconds: 3 });
    // Our loop leaves it some fifty, and three seconds for them.
    expect(result.crossCheck?.problems).toContain("ended-by-budget");
    expect(result.crossCheck?.requests).toBeGreaterThan(40);
    expect(total).toBeLessThanOrEqual(70);
    expect(spent).toBeLessThanOrEqual(70);
    expect(spent).toBeGreaterThanOrEqual(total);
  });

  it("leaves it out where the budget holds too little, and says why", async () => {
    // One request of our own loop is enough, and all that it can send are not too many.
    const few = await saturate(40, { thinkMs: 100 });
    expect(few.result.crossCheck).toBeNull();
    expect(few.result.crossCheckSkipped).toContain("the cross-check needs 40");
    expect(few.total).toBeLessThanOrEqual(40);
    expect(few.spent).toBe(few.total);
  });

  it("leaves it out when our own loop used the budget up", async () => {
    const { result, total } = await saturate(20, { durationSeconds: 300 });
    expect(result.crossCheckSkipped).toContain("ended early: budget");
    expect(total).toBe(20);
  });
});
