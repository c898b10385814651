import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { burstRounds } from "../../../src/limits/burst/burst-rounds.ts";
import type { BurstView } from "../../../src/limits/burst/burst-view.ts";
import { explainWaits, findWatches } from "../../../src/limits/burst/explain-waits.ts";
import { findHeldTooLong } from "../../../src/limits/burst/held-too-long.ts";
import { checkReleasedLate } from "../../../src/limits/burst/released-late.ts";
import { readOp } from "../../../src/limits/history/history.ts";
import { opsOf } from "../../../src/limits/history/op.ts";
import { defaultTolerances as tolerances } from "../../../src/limits/history/tolerances.ts";
import { policyVerdict } from "../../../src/limits/probe/policy.ts";
import { checkHead, passed } from "../../../src/limits/verdict/check.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";

const terms = { burst: 10, cooldownMs: 65_000, tolerances };
const intent = { kind: "limit", policy: "burst", phase: "volley" } as const;

/** Ten requests are served at once, seven are held, and let out one after the other 89 s later. */
const volley = Array.from({ length: 17 }, (_, place): Exchange => {
  const sentMs = 1000 + place;
  return makeExchange({
    seq: place + 1,
    keyName: "examBurst",
    intent,
    sentMs,
    endMs: place < 10 ? sentMs + 20 : 90_000 + 2 * place,
  });
});

const keyless = (seq: number, sentMs: number, endMs: number): Exchange =>
  makeExchange({ seq, keyName: null, status: 401, intent: { kind: "housekeeping", purpose: "clock" }, sentMs, endMs });

function viewWith(beside: readonly Exchange[]): BurstView {
  const exchanges = [...volley, ...beside];
  const ops = opsOf(
    volley.map((exchange) => readOp(exchange)!),
    "burst",
  );
  const watches = findWatches(exchanges);
  return {
    ...terms,
    ops,
    rounds: burstRounds(ops, terms),
    isStall: explainWaits(exchanges),
    isWatched: (fromMs: number, toMs: number) => watches("examBurst", fromMs, toMs),
  } as unknown as BurstView;
}

describe("requests that a queue lets out long after the cooldown", () => {
  it.each([
    ["fail, while others are served", [keyless(50, 78_000, 78_020), keyless(51, 84_000, 84_020)], "fail", /held back for/],
    ["show nothing where nobody else asked", [], "inconclusive", /nobody else asked in the last 1\d\.\d s of it/],
    ["show nothing where others asked before alone", [keyless(50, 60_000, 60_020)], "inconclusive", /nobody else asked/],
    [
      "show nothing where the whole service stood still",
      [keyless(50, 72_000, 90_050)],
      "inconclusive",
      /so did the whole service/,
    ],
  ] as const)("%s", (_, beside, verdict, message) => {
    const [check] = checkReleasedLate(viewWith(beside));
    expect(check).toMatchObject({ verdict, message: expect.stringMatching(message) });
  });

  it("leave the policy open where nobody else asked, beside answers to all that was held", () => {
    const [check] = checkReleasedLate(viewWith([]));
    const answered = passed(checkHead("queue.request-lost"), 7, "7 queued requests were answered");
    expect(policyVerdict("unrefuted", [answered, check!])).toBe("inconclusive");
    const [stalled] = checkReleasedLate(viewWith([keyless(50, 72_000, 90_050)]));
    expect(policyVerdict("unrefuted", [answered, stalled!])).toBe("pass");
  });

  it("were held for too long, unless the whole service stood still when they were due", () => {
    expect(findHeldTooLong(viewWith([keyless(50, 78_000, 78_020)])).wrong).not.toBeNull();
    expect(findHeldTooLong(viewWith([keyless(50, 72_000, 90_050)])).wrong).toBeNull();
  });
});
