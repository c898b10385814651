import { describe, expect, it } from "vitest";
import { parseGate } from "../../../src/load/gates/parse-gate.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { givenUpRecord } from "../../../src/load/samples/unanswered-record.ts";
import { createHopelessWatch } from "../../../src/load/send/hopeless-watch.ts";
import { mostBeyond } from "../../../src/load/statistics/beyond-repair.ts";
import { context } from "../../make/load/exchange-fixture.ts";

/** The number of answers, of a hundred planned, after which a profile ends; null: it goes on. */
function endsAfter(ttftMs: number, lateMs: number): number | null {
  const watch = createHopelessWatch([parseGate("ttft.p90 < 300ms")], 100);
  const stalls = { within: () => lateMs, isStalled: () => false };
  const record: LoadRecord = { ...givenUpRecord(context, 1000), outcome: "ok", sentMs: 100, firstTokenMs: 100 + ttftMs };
  for (let count = 1; count <= 100; count += 1) if (watch.observe(record, stalls) !== null) return count;
  return null;
}

describe("a profile that ends when a gate cannot be met any more", () => {
  it("does not end for times that lateness of this machine explains", () => {
    const after = mostBeyond(0.1, 100) + 1;
    expect(endsAfter(330, 2)).toBe(after);
    expect(endsAfter(330, 90)).toBeNull();
    expect(endsAfter(500, 90)).toBe(after);
  });

  it("does not end for errors that a stall of this machine can have provoked", () => {
    const endsWith = (gate: string, end: Partial<LoadRecord>, isStalled: boolean): boolean => {
      const watch = createHopelessWatch([parseGate(gate)], 100);
      const stalls = { within: () => (isStalled ? 1500 : 90), isStalled: () => isStalled };
      const record: LoadRecord = { ...givenUpRecord(context, 1000), reusedConnection: true, ...end };
      return Array.from({ length: 100 }, () => watch.observe(record, stalls)).some((reason) => reason !== null);
    };
    const ends = [
      ["error_rate < 1%", { outcome: "server-error", status: 503 }],
      ["reject_rate < 1%", { outcome: "burst-limited", status: 429 }],
      ["error_rate < 1%", { outcome: "transport-error" }],
    ] as const;
    for (const [gate, end] of ends)
      expect([true, false].map((isStalled) => endsWith(gate, end, isStalled))).toEqual([false, true]);
    expect(endsWith("error_rate < 1%", { outcome: "server-error", status: 500 }, true)).toBe(true);
  });
});
