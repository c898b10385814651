import { describe, expect, it } from "vitest";
import { explainWaits } from "../../../src/limits/burst/explain-waits.ts";
import { readOp } from "../../../src/limits/history/history.ts";
import { type ExchangeDraft, makeExchange } from "../../make/exchanges/make-exchange.ts";

const own = { intent: { kind: "limit", policy: "burst", phase: "below-1" } } as const;

/** Whether a wait of 13.6 s is explained by what else was sent. */
function isExplained(held: ExchangeDraft, ...others: readonly ExchangeDraft[]): boolean {
  const exchange = makeExchange({ seq: 62, keyName: "examBurst", sentMs: 1000, endMs: 14_600, ...own, ...held });
  const beside = others.map((draft, index) => makeExchange({ seq: 70 + index, ...draft }));
  return explainWaits([exchange, ...beside])(readOp(exchange)!);
}

describe("a request below the allowance that waited", () => {
  it("was held back where others were served meanwhile, or nobody else asked", () => {
    expect(isExplained({})).toBe(false);
    expect(isExplained({}, { keyName: "secondary", sentMs: 5000, endMs: 5030 })).toBe(false);
  });

  it("was not where other keys and requests without a key waited as long", () => {
    expect(isExplained({}, { keyName: "secondary", sentMs: 1500, endMs: 14_700 })).toBe(true);
    expect(isExplained({}, { keyName: null, sentMs: 2000, endMs: 14_650 })).toBe(true);
  });

  it("was not where the instrument read the answer late", () => {
    expect(isExplained({ lateMs: 12_000 })).toBe(true);
    expect(isExplained({ lateMs: 100 })).toBe(false);
  });

  it("has no witness in what its own key sent, or what another exam had held", () => {
    expect(isExplained({}, { keyName: "examBurst", sentMs: 1500, endMs: 14_700 })).toBe(false);
    const queued = { intent: { kind: "limit", policy: "burst", phase: "cooldown" } } as const;
    expect(isExplained({}, { keyName: "examBurstQueue", sentMs: 1500, endMs: 14_700, ...queued })).toBe(false);
  });
});
