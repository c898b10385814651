import fc from "fast-check";
import type { ServiceLevel } from "../../src/load/profile/load-profile.ts";
import type { LoadRecord } from "../../src/load/samples/load-record.ts";
import { measureExchange } from "../../src/load/samples/measure-exchange.ts";
import { givenUpRecord, notSentRecord } from "../../src/load/samples/unanswered-record.ts";
import { answered, context, cutShort, delta, event, streamed } from "../make/load/exchange-fixture.ts";

export const drawnSlo: ServiceLevel = { ttftMs: 150, tpotMs: 20, userLatencyMs: 400 };
/** Records as the engine makes them, of exchanges at any instants until then. */
export function drawnRecord(untilMs: number): fc.Arbitrary<LoadRecord> {
  return fc
    .record({
      kind: fc.constantFrom("stream", "usage", "answer", "refused", "cut", "not-sent", "given-up"),
      atMs: fc.double({ min: 100, max: untilMs, noNaN: true }),
      gaps: fc.array(fc.double({ min: 0, max: 500, noNaN: true }), { minLength: 1, maxLength: 12 }),
      intendedMs: fc.double({ min: 0, max: 100, noNaN: true }),
      label: fc.constantFrom("chat", "embeddings", "#7"),
      clump: fc.integer({ min: 1, max: 5 }),
      isThinned: fc.boolean(),
    })
    .map(({ isThinned, ...given }) => {
      const whole = recordOf(given);
      // As the store does beyond what it has room for.
      return isThinned && whole.arrivals > 1 ? { ...whole, groups: whole.groups.slice(0, 1) } : whole;
    });
}

interface Given {
  readonly kind: "stream" | "usage" | "answer" | "refused" | "cut" | "not-sent" | "given-up";
  readonly atMs: number;
  readonly gaps: readonly number[];
  readonly intendedMs: number;
  readonly label: string;
  /** Events of one read. */
  readonly clump: number;
}

function recordOf({ kind, atMs, gaps, intendedMs, label, clump }: Given): LoadRecord {
  const given = { ...context, intendedMs, issuedMs: intendedMs, label, slo: drawnSlo };
  let at = atMs;
  const events = gaps.map((gap, index) => {
    if (index % clump === 0) at += gap;
    const chunk = delta(at, { content: "x" });
    return kind === "usage"
      ? event(at, { ...(JSON.parse(chunk.data) as object), usage: { completion_tokens: index + 1 } })
      : chunk;
  });
  switch (kind) {
    case "not-sent":
      return notSentRecord(given, "max-in-flight");
    case "given-up":
      return givenUpRecord(given, atMs);
    case "answer":
      return measureExchange(answered(200, { usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } }), given).record;
    case "refused":
      return measureExchange(answered(429, { error: { code: "rate_limited" } }), given).record;
    case "cut":
      return measureExchange(cutShort(events), given).record;
    case "stream":
    case "usage":
      return measureExchange(streamed(events), given).record;
    default:
      return kind satisfies never;
  }
}
