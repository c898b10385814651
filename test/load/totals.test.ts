import { describe, expect, it } from "vitest";
import type { LoadProfileResult } from "../../src/core/result/load-result.ts";
import { streamWords } from "../make/load/load-target.ts";
import { runAgainst } from "../make/load/run-against.ts";

function expectToAddUp({ counts, conversations }: LoadProfileResult): void {
  expect(counts.planned).toBe(counts.sent - counts.retried + (counts.unsent ?? Number.NaN));
  if (conversations === undefined) return;
  const { planned, completed, cancelled, unfinished, notSent } = conversations;
  expect(planned).toBe(completed + cancelled + unfinished + notSent);
}

const turnsOf = (body: unknown): number =>
  (body as { readonly messages: readonly { readonly role: string }[] }).messages.filter(({ role }) => role === "user").length;

describe("totals of a profile add up to what was planned", () => {
  it("holds the turns that a failure of their conversation cancelled", async () => {
    const result = await runAgainst(
      ({ body }, response) => {
        if (turnsOf(body) === 2)
          response.writeHead(500, { "content-type": "application/json" }).end('{"error":{"code":"internal"}}');
        else streamWords(response, 2, 1, 1);
      },
      {
        arrivals: { kind: "sessions", ratePerSecond: 5, turns: 4, thinkSeconds: 0.01 },
        durationSeconds: 2,
        abort: { errorRate: 1 },
        retry: { max: 0, retryAfter: "ignore" },
        gates: ["error_rate < 60%"],
      },
    );
    // One that begins at the end of the profile may have no time for its second turn.
    const { completed, cancelled, unfinished, notSent } = result.conversations!;
    expect([completed, notSent]).toEqual([0, 0]);
    expect(cancelled).toBeGreaterThan(0);
    const sent = 2 * cancelled + unfinished;
    expect(result.counts).toMatchObject({ planned: 4 * (cancelled + unfinished), sent, unsent: 2 * cancelled + 3 * unfinished });
    expect(result.notSent).toEqual({ cancelled: 2 * cancelled });
    // Turns that were cancelled are no good answers.
    expect(result.goodFraction).toBeCloseTo((cancelled + unfinished) / (4 * cancelled + unfinished), 6);
    expectToAddUp(result);
  });

  it("holds conversations that were completed", async () => {
    const result = await runAgainst((_, response) => streamWords(response, 2, 1, 1), {
      arrivals: { kind: "sessions", ratePerSecond: 5, turns: 2, thinkSeconds: 0.01 },
      durationSeconds: 2,
    });
    expect(result.conversations?.completed).toBeGreaterThan(0);
    expect(result.conversations?.cancelled).toBe(0);
    expectToAddUp(result);
  });

  it("holds repetitions, and what an early end left unsent", async () => {
    const repeated = await runAgainst(
      ({ number }, response) => {
        if (number % 3 === 0) response.writeHead(503, { "content-type": "application/json" }).end('{"error":{"code":"busy"}}');
        else streamWords(response, 2, 1, 1);
      },
      { retry: { max: 2, retryAfter: "ignore" }, abort: { errorRate: 1 } },
    );
    expect(repeated.counts.retried).toBeGreaterThan(0);
    expectToAddUp(repeated);
    const ended = await runAgainst(
      (_, response) => void response.writeHead(500, { "content-type": "application/json" }).end('{"error":{"code":"x"}}'),
      { retry: { max: 0, retryAfter: "ignore" }, abort: { errorRate: 0.1, minimum: 5 }, durationSeconds: 10 },
    );
    expect(ended.counts.unsent).toBeGreaterThan(0);
    expectToAddUp(ended);
  });

  it("holds a closed loop", async () => {
    const result = await runAgainst((_, response) => streamWords(response, 2, 1, 1), {
      arrivals: { kind: "closed", concurrency: 2 },
      durationSeconds: 1,
    });
    expect(result.counts.planned).toBeGreaterThan(2);
    expectToAddUp(result);
  });
});

describe("connections that are reset", () => {
  it("are errors of the target where the request had been received and worked on, and are not sent again", async () => {
    let seen = 0;
    const connections = new WeakMap<object, number>();
    const result = await runAgainst(
      (_, response) => {
        seen += 1;
        const socket = response.socket!;
        const served = (connections.get(socket) ?? 0) + 1;
        connections.set(socket, served);
        if (served === 1) streamWords(response, 2, 1, 1);
        // The work of a quarter of a second, ten times what a reset of an idle connection takes.
        else setTimeout(() => socket.resetAndDestroy(), 250);
      },
      { abort: { errorRate: 1 }, arrivals: { kind: "constant", ratePerSecond: 10 }, durationSeconds: 2 },
    );
    expect(result.counts.resent).toBe(0);
    expect(result.outcomes["transport-error"]).toBeGreaterThan(0);
    expect(seen).toBe(result.counts.sent);
    expectToAddUp(result);
  });

  it("are sent anew, counted, and no error where they met the request at once", async () => {
    const connections = new WeakMap<object, number>();
    const result = await runAgainst(
      (_, response) => {
        const socket = response.socket!;
        const served = (connections.get(socket) ?? 0) + 1;
        connections.set(socket, served);
        if (served === 3) socket.resetAndDestroy();
        else streamWords(response, 2, 1, 1);
      },
      { abort: { errorRate: 1 }, arrivals: { kind: "constant", ratePerSecond: 10 }, durationSeconds: 2 },
    );
    expect(result.counts.resent).toBeGreaterThan(0);
    expect(result.outcomes).toEqual({ ok: 20 });
    expectToAddUp(result);
  });
});
