import { expect, it } from "vitest";
import type { LoadRecord } from "../../src/load/samples/load-record.ts";
import { measureExchange } from "../../src/load/samples/measure-exchange.ts";
import { measureLoop } from "../../src/load/samples/measure-loop.ts";
import { answered, context } from "../make/load/exchange-fixture.ts";
import { makeLoadResult, makeProfile } from "../make/results/make-load-result.ts";

const one = measureExchange(answered(200, { usage: {} }), context).record;

/** Slots that send as soon as they are answered, each answer after so many milliseconds. */
function loop(slots: number, lengthMs: (slot: number, turn: number) => number, untilMs: number): readonly LoadRecord[] {
  return Array.from({ length: slots }, (_, slot) => {
    const records: LoadRecord[] = [];
    for (let at = slot, turn = 0; at < untilMs; turn += 1) {
      const endMs = at + lengthMs(slot, turn);
      records.push({
        ...one,
        intendedMs: at,
        issuedMs: at,
        sentMs: at,
        headersMs: endMs,
        firstByteMs: endMs,
        answeredMs: endMs,
        endMs,
      });
      at = endMs;
    }
    return records;
  })
    .flat()
    .toSorted((a, b) => a.endMs - b.endMs);
}

it("a closed loop has the rate of the requests in flight over the time of one, not that of the sends of its window", () => {
  const profile = {
    ...makeProfile(1, 10, ["ok_rate < 3.6"]),
    arrivals: { kind: "closed", concurrency: 10, thinkMs: 0 } as const,
  };
  const result = makeLoadResult(
    profile,
    loop(10, () => 3000, 10_000),
  );
  expect(result.rates.ok).toBeCloseTo(10 / 3, 2);
  expect(result.gates[0]).toMatchObject({ verdict: "pass" });
  expect(result.gates[0]?.high).toBeLessThan(3.4);
});

it("requests that began in the warm-up are a part of the window, those that end after it are one in part", () => {
  const records = [
    { ...one, phase: "warm-up" as const, intendedMs: 0, issuedMs: 0, endMs: 2000 },
    { ...one, intendedMs: 2000, issuedMs: 2000, endMs: 6000 },
  ];
  expect(measureLoop(records, { fromMs: 1000, toMs: 4000 }).inWindow).toBe(1);
});

it("the rate is as uncertain as the time that a request takes", () => {
  const times = [100, 900, 300, 700, 250, 1200];
  const profile = { ...makeProfile(1, 20, ["ok_rate < 17"]), arrivals: { kind: "closed", concurrency: 8, thinkMs: 0 } as const };
  const result = makeLoadResult(
    profile,
    loop(8, (slot, turn) => times[(slot + turn) % times.length] ?? 0, 20_000),
  );
  const { observed, low, high, verdict } = result.gates[0] ?? {};
  expect(observed).toBeCloseTo(8 / 0.575, 0);
  expect(low).toBeLessThan(0.97 * (observed ?? 0));
  expect(high).toBeGreaterThan(1.02 * (observed ?? 0));
  expect(verdict).not.toBe("fail");
});
