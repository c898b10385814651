import { Worker } from "node:worker_threads";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  allocateSharedCounters,
  budgetCounted,
  createLocalCounters,
  createSharedCounters,
} from "../../../src/wire/budget/budget-counters.ts";
import { createBudget, type Reservation } from "../../../src/wire/budget/budget.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { streamedChat } from "../../make/wire/wire-to.ts";

const step = fc.oneof(
  fc.record({
    kind: fc.constant("take" as const),
    what: fc.constantFrom(...budgetCounted),
    amount: fc.nat(1e6),
    bound: fc.option(fc.nat(5e6)),
  }),
  fc.record({
    kind: fc.constant("add" as const),
    what: fc.constantFrom(...budgetCounted),
    amount: fc.integer({ min: -1e6, max: 1e6 }),
  }),
);

describe("shared counters", () => {
  it("count as local ones do, however many views of the memory take part", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.nat(2))), (steps) => {
        const memory = allocateSharedCounters();
        const views = [createSharedCounters(memory), createSharedCounters(memory), createSharedCounters(memory)];
        const local = createLocalCounters();
        for (const [{ ...one }, turn] of steps) {
          const view = views[turn];
          if (view === undefined) continue;
          if (one.kind === "add") {
            view.add(one.what, one.amount);
            local.add(one.what, one.amount);
          } else {
            expect(view.take(one.what, one.amount, one.bound)).toBe(local.take(one.what, one.amount, one.bound));
          }
        }
        for (const what of budgetCounted) expect(views[0]?.value(what)).toBe(local.value(what));
      }),
    );
  });

  it("never let two threads take more than there is", async () => {
    const memory = allocateSharedCounters();
    const bound = 30_001;
    const start = new Int32Array(new SharedArrayBuffer(4));
    // The other thread takes by the same steps; it is text because a worker cannot load TypeScript.
    const other = new Worker(
      `const { workerData: { memory, start, bound }, parentPort } = require("node:worker_threads");
       const sums = new BigInt64Array(memory);
       parentPort.postMessage("ready");
       Atomics.wait(start, 0, 0);
       let taken = 0;
       for (;;) {
         const seen = Atomics.load(sums, 0);
         if (seen + 1n > BigInt(bound)) break;
         if (Atomics.compareExchange(sums, 0, seen, seen + 1n) === seen) taken += 1;
       }
       parentPort.postMessage(taken);`,
      { eval: true, workerData: { memory, start, bound } },
    );
    await new Promise((resolve) => other.once("message", resolve));
    const theirs = new Promise<number>((resolve) => other.once("message", resolve));
    Atomics.store(start, 0, 1);
    Atomics.notify(start, 0);
    const counters = createSharedCounters(memory);
    let ours = 0;
    while (counters.take("requests", 1, bound)) ours += 1;
    expect(ours + (await theirs)).toBe(bound);
    expect(counters.value("requests")).toBe(bound);
    await other.terminate();
  });
});

describe("one budget of several loops", () => {
  it("is never exceeded, whoever reserves and settles", () => {
    const request = (tokens: number): SendRequest => ({
      ...streamedChat,
      stage: "load",
      reserve: { tokens, costUsd: tokens / 1e6 },
    });
    fc.assert(
      fc.property(
        fc.array(fc.record({ loop: fc.nat(3), tokens: fc.nat(500), settle: fc.boolean() }), { maxLength: 80 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 4000 }),
        (steps, maxRequests, maxTokens) => {
          const memory = allocateSharedCounters();
          const manifest = {
            budget: { maxRequests, maxTokens, maxCostUsd: 0.002 },
            prices: { perMillionPromptTokens: 1, perMillionCompletionTokens: 1, perImage: 0, perAudioMinute: 0 },
          };
          const loops = Array.from({ length: 4 }, () => createBudget(manifest, createSharedCounters(memory)));
          const counters = createSharedCounters(memory);
          const open: Reservation[] = [];
          for (const { loop, tokens, settle } of steps) {
            const reserved = loops[loop]?.reserve(request(tokens));
            if (reserved !== undefined && !("refused" in reserved)) open.push(reserved);
            expect(counters.value("requests")).toBeLessThanOrEqual(maxRequests);
            expect(counters.value("tokens")).toBeLessThanOrEqual(maxTokens);
            expect(counters.value("nanoUsd")).toBeLessThanOrEqual(2_001_000);
            if (settle) open.shift()?.settle(refusedExchange);
          }
          for (const reservation of open) reservation.settle(refusedExchange);
          expect(counters.value("tokens")).toBe(0);
          expect(counters.value("nanoUsd")).toBe(0);
        },
      ),
    );
  });
});

/** A refusal was sent and costs nothing. */
const refusedExchange = makeExchange({ stage: "load", endpoint: "chat", status: 429 });
