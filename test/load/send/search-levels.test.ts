import { describe, expect, it } from "vitest";
import { streamWords, type Answer } from "../../make/load/load-target.ts";
import { runAgainst } from "../../make/load/run-against.ts";

/** Long beside the time that a request spends outside of the server. */
const heldMs = 20;

/** A server that refuses what comes while it holds `room` requests already, and counts the most that it held. */
function crowded(room: number): { readonly answer: Answer; readonly most: () => number } {
  let [held, most] = [0, 0];
  return {
    most: () => most,
    answer(_, response) {
      held += 1;
      most = Math.max(most, held);
      response.once("close", () => (held -= 1));
      if (held > room) setTimeout(() => response.writeHead(500).end("{}"), heldMs);
      else setTimeout(() => streamWords(response, 2, 0, 0), heldMs);
    },
  };
}

describe("a search for concurrency", () => {
  it("finds the requests in flight up to which a gate holds, and says with how many requests", async () => {
    const server = crowded(5);
    const arrivals = {
      kind: "capacity-search",
      of: "concurrency",
      to: 32,
      leastRequests: 50,
      maxRequests: 1200,
      precision: 0.25,
    };
    const gates = ["error_rate < 10%", "capacity >= 4", "capacity > 11"];
    const result = await runAgainst(server.answer, { arrivals, gates });
    expect(result.capacity).toMatchObject({ of: "concurrency", limitedBy: "error_rate < 10%" });
    // A busy machine keeps fewer requests in the server than are in flight.
    expect(result.capacity?.value).toBeGreaterThanOrEqual(5);
    expect(result.capacity?.value).toBeLessThan(11);
    expect(result.capacity?.requests).toBe(result.counts.planned);
    expect(result.capacity?.trials).toBe(result.steps.length);
    expect(result.capacity?.reason).toContain(`${result.counts.planned} requests`);
    expect(result.gates.map(({ expression, verdict }) => [expression, verdict])).toEqual([
      ["capacity >= 4", "pass"],
      ["capacity > 11", "fail"],
    ]);
    expect(result.knee?.reason).toBe(result.capacity?.reason);
    expect(server.most()).toBeGreaterThan(5);
    // A search goes to levels that fail, and nothing ends it for that.
    expect(result.endedEarly).toBeNull();
  });

  it("is over when its requests are used up, at any level", async () => {
    const arrivals = { kind: "capacity-search", of: "concurrency", to: 64, leastRequests: 50, maxRequests: 200 };
    const result = await runAgainst(crowded(100).answer, { arrivals, gates: ["error_rate < 20%"] });
    expect(result.counts.planned).toBeLessThanOrEqual(200);
    expect(result.capacity).toMatchObject({ stop: "requests", high: null });
  });
});

describe("a sweep of concurrency", () => {
  it("tries every level, and measures tokens a second and times per token at each", async () => {
    const arrivals = { kind: "concurrency-sweep", concurrencies: [1, 2, 4], secondsPerLevel: 0.5 };
    const result = await runAgainst((_, response) => streamWords(response, 4, 5, 5), { arrivals });
    expect(result.steps.map(({ concurrency }) => concurrency)).toEqual([1, 2, 4]);
    for (const { outputTokens, achieved } of result.steps) expect(outputTokens).toBeCloseTo(4 * achieved, 6);
    const [one, , four] = result.steps;
    expect(four?.outputTokens).toBeGreaterThan(one?.outputTokens ?? Infinity);
    expect(result.capacity).toBeUndefined();
  });
});
