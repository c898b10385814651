import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { streamWords, type Answer } from "../../make/load/load-target.ts";
import { runAgainst } from "../../make/load/run-against.ts";

/** Without a further request for so long, and for two turns of the loop, all that are in flight have arrived. */
const quietMs = 15;

/**
 * A server that answers when nothing more comes: all but `room` of the requests in flight are refused, however slowly they arrive, so
 * that a busy machine changes no answer. It counts the most that it held.
 */
function crowded(room: number): { readonly answer: Answer; readonly most: () => number } {
  let held: ServerResponse[] = [];
  let most = 0;
  let timer: NodeJS.Timeout | undefined;
  const release = (): void => {
    for (const response of held.slice(room)) response.writeHead(500).end("{}");
    for (const response of held.slice(0, room)) streamWords(response, 2, 0, 0);
    held = [];
  };
  return {
    most: () => most,
    answer(_, response) {
      held.push(response);
      most = Math.max(most, held.length);
      clearTimeout(timer);
      timer = setTimeout(() => {
        // A loop that was late runs its timers before it reads: what has arrived meanwhile is read first.
        const count = held.length;
        setImmediate(() => setImmediate(() => held.length === count && release()));
      }, quietMs);
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
    expect(result.capacity?.value).toBeGreaterThanOrEqual(5);
    expect(result.capacity?.value).toBeLessThan(7);
    expect(result.capacity?.requests).toBe(result.counts.planned);
    expect(result.capacity?.trials).toBe(result.steps.length);
    expect(result.capacity?.reason).toContain(`${result.counts.planned} requests`);
    // A generator that was late finds less: such a run withholds the failure, which is no matter of the search.
    const missed = result.validity.reasons.some((reason) => reason.startsWith("generator-limited")) ? "inconclusive" : "fail";
    expect(result.gates.map(({ expression, verdict }) => [expression, verdict])).toEqual([
      ["capacity >= 4", "pass"],
      ["capacity > 11", missed],
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
    const arrivals = { kind: "concurrency-sweep", concurrencies: [1, 2, 16], secondsPerLevel: 0.5 };
    let [open, most] = [0, 0];
    const answer: Answer = (_, response) => {
      open += 1;
      most = Math.max(most, open);
      response.once("close", () => (open -= 1));
      streamWords(response, 4, 5, 5);
    };
    const result = await runAgainst(answer, { arrivals, timeoutSeconds: 300 });
    expect(result.steps.map(({ concurrency }) => concurrency)).toEqual([1, 2, 16]);
    for (const { outputTokens, achieved } of result.steps) expect(outputTokens).toBeCloseTo(4 * achieved, 6);
    // How many come of a level is a matter of this machine; that it is held is not.
    expect(Math.min(...result.steps.map(({ outputTokens }) => outputTokens ?? 0))).toBeGreaterThan(0);
    expect(most).toBe(16);
    expect(result.capacity).toBeUndefined();
  });
});
