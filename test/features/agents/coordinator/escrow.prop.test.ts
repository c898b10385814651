import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEscrowCounters } from "../../../../src/features/agents/budget/escrow-counters.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import type { SendRequest } from "../../../../src/core/exchange/send-request.ts";
import type { LoadSender } from "../../../../src/load/send/load-sender.ts";
import { answered } from "../../../make/load/exchange-fixture.ts";
import { openEscrow } from "../../../../src/features/agents/coordinator/escrow.ts";
import { createBudget } from "../../../../src/wire/budget/budget.ts";
import { createLocalCounters } from "../../../../src/wire/budget/budget-counters.ts";
import { createEscrowSender, createRedeemingSender } from "../../../../src/features/agents/share/stack-senders.ts";

const budget = (maxRequests: number | null, maxTokens: number | null, maxCostUsd: number | null) => ({
  maxRequests,
  maxTokens,
  maxCostUsd,
});

describe("a budget that is lent to agents", () => {
  it("is never overspent, whoever draws and is lost, and counts what is not accounted for as used", () => {
    const move = fc.record({
      agent: fc.nat(3),
      kind: fc.constantFrom("draw", "spend", "lose"),
      amount: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 50 }), fc.array(move), (bound, before, moves) => {
        const counters = createLocalCounters();
        counters.add("requests", Math.min(before, bound));
        const escrow = openEscrow(counters, budget(bound, null, null));
        expect(counters.take("requests", 1, bound)).toBe(false);
        let taken = 0;
        const agents = Array.from({ length: 4 }, () => ({ counters: createEscrowCounters(), drawn: 0, lost: false, sent: 0 }));
        for (const { agent, kind, amount } of moves) {
          const one = agents[agent]!;
          if (kind === "lose") one.lost = true;
          if (one.lost) continue;
          if (kind === "draw") {
            const grant = Math.min(amount, escrow.bounds.requests! - taken);
            taken += grant;
            one.drawn += grant;
            one.counters.credit({ requests: grant, tokens: null, nanoUsd: null });
          } else {
            for (let count = 0; count < amount; count += 1) if (one.counters.take("requests", 1, null)) one.sent += 1;
          }
        }
        for (const one of agents) {
          if (one.lost) escrow.lost({ requests: one.drawn, tokens: 0, nanoUsd: 0 }, 0);
          else escrow.spent(one.counters.sums());
        }
        escrow.close();
        escrow.close();
        const sent = agents.reduce((sum, one) => sum + one.sent, 0);
        const drawnByLost = agents.reduce((sum, one) => sum + (one.lost ? one.drawn : one.sent), 0);
        const used = counters.value("requests") - Math.min(before, bound);
        expect(used).toBe(drawnByLost);
        expect(used).toBeGreaterThanOrEqual(sent);
        expect(counters.value("requests")).toBeLessThanOrEqual(bound);
      }),
    );
  });

  it("refuses nothing that all agents have left, however long requests wait between the draw and the wire", async () => {
    const turns = fc.array(fc.nat(12), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 6 }), turns, async (planned, ahead, waits) => {
        let step = 0;
        const wait = async (): Promise<void> => {
          for (let turn = waits[step++ % waits.length]!; turn > 0; turn -= 1) await Promise.resolve();
        };
        const counters = createEscrowCounters();
        let refused = 0;
        const wire = pretendSender(() => {
          if (!counters.take("requests", 1, null)) refused += 1;
        });
        const redeeming = createRedeemingSender(wire, counters, prices);
        const waiting: LoadSender = {
          ...redeeming,
          async send(request) {
            await wait();
            return redeeming.send(request);
          },
        };
        let free = planned;
        const sender = createEscrowSender({
          sender: waiting,
          counters,
          prices,
          ahead: () => ahead,
          async draw(least, wanted) {
            await wait();
            const requests = Math.min(wanted.requests, free);
            if (requests < least.requests) return null;
            free -= requests;
            return { requests, tokens: null, nanoUsd: null };
          },
        });
        await Promise.all(Array.from({ length: planned }, () => sender.send(request)));
        expect(refused).toBe(0);
        expect(counters.value("requests")).toBe(planned);
        expect(counters.unspent().requests + free).toBe(0);
      }),
    );
  });

  it("counts as used as a whole when nobody knows what a lost agent drew", () => {
    const counters = createLocalCounters();
    const escrow = openEscrow(counters, budget(100, 5000, 1));
    escrow.lost(null, 3);
    escrow.close();
    expect(counters.value("requests")).toBe(100);
    expect(counters.value("tokens")).toBe(5000);
    expect(createBudget({ budget: budget(100, 5000, 1), prices }, counters).spent().estimatedUsd).toBe(1.000001);
  });

  it("holds requests, tokens and money alike, and the bounds of the agent beside them", () => {
    const counters = createEscrowCounters();
    expect(counters.lacks({ requests: 1, tokens: 10, nanoUsd: 5 })).toEqual({ requests: 1, tokens: 10, nanoUsd: 5 });
    counters.credit({ requests: 2, tokens: 15, nanoUsd: null });
    expect(counters.lacks({ requests: 1, tokens: 10, nanoUsd: 5 })).toBeNull();
    expect(counters.take("tokens", 10, null)).toBe(true);
    expect(counters.take("tokens", 10, null)).toBe(false);
    expect(counters.take("nanoUsd", 10, 9)).toBe(false);
    expect(counters.unspent()).toEqual({ requests: 2, tokens: 5, nanoUsd: 0 });
  });
});

const request = { reserve: { tokens: 0, costUsd: 0 } } as SendRequest;

/** Takes what the wire takes, as it is called. */
function pretendSender(take: () => void): LoadSender {
  const send = (): Promise<Exchange> => {
    take();
    return Promise.resolve(answered(200, {}));
  };
  return { send, burst: () => Promise.resolve([]) };
}

const prices = { perMillionPromptTokens: 0, perMillionCompletionTokens: 0, perImage: 0, perAudioMinute: 0 };
