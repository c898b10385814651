import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { createBudget, type Reservation } from "../../../src/wire/budget/budget.ts";
import { estimateWorstCase, mostPromptTokens } from "../../../src/core/cost-estimate.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { testManifest } from "../../make/test-manifest.ts";
import { streamedChat } from "../../make/wire/wire-to.ts";

function budgetOf(budget: Partial<Manifest["budget"]>): ReturnType<typeof createBudget> {
  return createBudget(testManifest("http://127.0.0.1:1", { budget }));
}

function chat(value: unknown, changes: Partial<SendRequest> = {}): SendRequest {
  return { ...streamedChat, stage: "load", body: { kind: "json", value }, ...changes };
}

/** An exchange that ended like this. */
function ended(changes: {
  readonly status?: number;
  readonly usage?: object;
  readonly failure?: "timeout" | "connect-refused";
}): Exchange {
  const { status = null, usage, failure: kind } = changes;
  const failure = kind === undefined ? null : { kind, message: "" };
  const exchange = makeExchange({ endpoint: "chat", stage: "load", status, received: { usage }, failure });
  return { ...exchange, connection: kind === "connect-refused" ? null : exchange.connection };
}

describe("a budget", () => {
  it("is never exceeded, whatever is reserved and settled in whatever order", () => {
    const step = fc.record({
      tokens: fc.nat(500),
      costUsd: fc.integer({ min: 0, max: 500 }).map((cents) => cents / 100),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      settleAfter: fc.nat(4),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.nat(40), fc.nat(4000), (steps, maxRequests, maxTokens) => {
        const budget = budgetOf({ maxRequests: maxRequests || null, maxTokens: maxTokens || null, maxCostUsd: 20 });
        const open: { reservation: Reservation; tokens: number; due: number }[] = [];
        let [sent, usedTokens] = [0, 0];
        for (const [index, { tokens, costUsd, share, settleAfter }] of steps.entries()) {
          const reserved = budget.reserve(chat({}, { reserve: { tokens, costUsd } }));
          if (!("refused" in reserved)) {
            sent += 1;
            open.push({ reservation: reserved, tokens: Math.floor(tokens * share), due: index + settleAfter });
          }
          for (const entry of open.filter(({ due }) => due <= index)) {
            open.splice(open.indexOf(entry), 1);
            usedTokens += entry.tokens;
            const usage = { prompt_tokens: entry.tokens, completion_tokens: 0, total_tokens: entry.tokens };
            entry.reservation.settle(ended({ status: 200, usage }));
          }
          if (maxRequests > 0) expect(sent).toBeLessThanOrEqual(maxRequests);
          if (maxTokens > 0) expect(usedTokens).toBeLessThanOrEqual(maxTokens);
          expect(budget.spent().estimatedUsd).toBeLessThanOrEqual(20.000001);
        }
        expect(budget.spent().promptTokens).toBe(usedTokens);
      }),
    );
  });

  it("sets aside no more for a tool than its bounds still hold, and takes what it sent for used at its worst", () => {
    const number = fc.integer({ min: 1, max: 300 });
    fc.assert(
      fc.property(number, number, fc.nat(20), fc.nat(400), fc.nat(400), (maxRequests, maxTokens, tokens, wanted, sent) => {
        const budget = budgetOf({ maxRequests, maxTokens, maxCostUsd: 1 });
        const before = budget.reserve(chat({}, { reserve: { tokens, costUsd: 0.25 } }));
        const taken = "refused" in before ? 0 : 1;
        const many = budget.reserveMany(wanted, { tokens, costUsd: 0.01 });
        expect(many.requests).toBeLessThanOrEqual(Math.min(wanted, maxRequests - taken, taken === 1 ? 75 : 100));
        expect((many.requests + taken) * tokens).toBeLessThanOrEqual(Math.max(maxTokens, taken * tokens));
        // As many as there is room for, not fewer.
        const room = Math.min(
          maxRequests - taken,
          tokens === 0 ? Infinity : Math.floor(maxTokens / tokens) - taken,
          75 + 25 * (1 - taken),
        );
        expect(many.requests).toBe(Math.max(0, Math.min(wanted, room)));
        many.settle(sent);
        expect(budget.spent().requests).toBe(taken + Math.min(sent, many.requests));
      }),
    );
  });

  it("gives back what was not used: the rest after an answer, all after a refusal, the request when nothing was sent", () => {
    const request = chat({ model: "m", messages: [], max_tokens: 900 });
    const worst = estimateWorstCase(request, testManifest("http://127.0.0.1:1").prices).tokens;
    const reserve = (budget: ReturnType<typeof createBudget>): Reservation | null => {
      const reserved = budget.reserve(request);
      return "refused" in reserved ? null : reserved;
    };
    const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };
    const answered = budgetOf({ maxTokens: worst + 10 });
    reserve(answered)?.settle(ended({ status: 200, usage }));
    expect(reserve(answered)).not.toBeNull();
    expect(reserve(answered)).toBeNull();
    const refused = budgetOf({ maxTokens: worst });
    reserve(refused)?.settle(ended({ status: 429 }));
    expect(reserve(refused)).not.toBeNull();
    const lost = budgetOf({ maxTokens: worst });
    reserve(lost)?.settle(ended({ failure: "timeout" }));
    expect(reserve(lost)).toBeNull();
    const unsent = budgetOf({ maxRequests: 1 });
    reserve(unsent)?.settle(ended({ failure: "connect-refused" }));
    expect(unsent.spent().requests).toBe(0);
    expect(reserve(unsent)).not.toBeNull();
  });
});

describe("the worst case", () => {
  const { prices } = testManifest("http://127.0.0.1:1");
  it("bounds prompt tokens by bytes and takes max_tokens, from values and from bytes alike", () => {
    const value = { messages: [{ role: "user", content: "ünder" }], max_tokens: 7 };
    const expected = mostPromptTokens(Buffer.byteLength(JSON.stringify({ messages: value.messages })), false) + 7;
    expect(estimateWorstCase(chat(value), prices).tokens).toBe(expected);
    const bytes = JSON.stringify(value);
    const raw = (text: string): SendRequest =>
      chat(null, { body: { kind: "raw", bytes: text, contentType: "application/json" } });
    expect(estimateWorstCase(raw(bytes), prices).tokens).toBe(expected);
    expect(estimateWorstCase(raw("{"), prices)).toEqual({ tokens: 0, costUsd: 0 });
  });

  it("counts tools, and what a template says about them", () => {
    const messages = [{ role: "user", content: "x" }];
    const tools = [{ type: "function", function: { name: "f", description: "d".repeat(300) } }];
    const tokens = (value: object): number => estimateWorstCase(chat({ messages, max_tokens: 1, ...value }), prices).tokens;
    expect(tokens({ tools }) - tokens({})).toBeGreaterThan(Buffer.byteLength(JSON.stringify(tools)) + 200);
  });

  it("prices images by piece and costs nothing where nothing is billed", () => {
    expect(estimateWorstCase(chat({ prompt: "p", n: 3 }, { endpoint: "images" }), prices).costUsd).toBeCloseTo(
      3 * prices.perImage,
    );
    expect(estimateWorstCase(chat({}, { endpoint: "models" }), prices)).toEqual({ tokens: 0, costUsd: 0 });
    expect(estimateWorstCase(chat({}, { endpoint: null }), prices)).toEqual({ tokens: 0, costUsd: 0 });
  });
});
