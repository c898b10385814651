import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/core/random.ts";
import { describeLeaving } from "../../../src/load/samples/describe-leaving.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { notSentRecord } from "../../../src/load/samples/unanswered-record.ts";
import { context } from "../../make/load/exchange-fixture.ts";

interface Queue {
  readonly slots: number;
  /** A slot is free so long after its client went; null: when the answer would have ended. */
  readonly freeMs: number | null;
  /** Instants at which the next request is sent: after each end (closed loop), or by itself. */
  readonly arrivals: { readonly concurrency: number } | { readonly gapMs: number };
  readonly seed: number;
}

/** Requests of a server with slots and a queue before them; a third of the clients go after a quarter of their answer. */
function simulate({ slots, freeMs, arrivals, seed }: Queue): readonly LoadRecord[] {
  const random = createRandom(seed);
  const records: LoadRecord[] = [];
  const freeAt = Array.from({ length: slots }, () => 0);
  const due = "gapMs" in arrivals ? [0] : Array.from({ length: arrivals.concurrency }, (_, place) => place);
  for (let sent = 0; sent < 400; sent += 1) {
    due.sort((one, other) => one - other);
    const atMs = due.shift() ?? 0;
    freeAt.sort((one, other) => one - other);
    const startMs = Math.max(atMs, freeAt.shift() ?? 0);
    const lengthMs = 100 + 100 * random.next();
    const leaves = random.next() < 0.33;
    const endMs = startMs + (leaves ? 0.25 : 1) * lengthMs;
    freeAt.push(leaves ? (freeMs === null ? startMs + lengthMs : endMs + freeMs) : endMs);
    due.push("gapMs" in arrivals ? atMs - arrivals.gapMs * Math.log(1 - random.next()) : endMs);
    records.push(recordOf(atMs, startMs + 5, endMs, leaves));
  }
  return records;
}

function recordOf(sentMs: number, firstTokenMs: number, endMs: number, leaves: boolean): LoadRecord {
  return {
    ...notSentRecord({ ...context, intendedMs: sentMs, issuedMs: sentMs }, "budget"),
    endpoint: "chat",
    outcome: leaves ? "left" : "ok",
    notSent: null,
    status: 200,
    sentMs,
    firstTokenMs,
    answeredMs: endMs,
    endMs,
    contentEvents: 5,
    tpotMs: 8,
    stream: { done: !leaves, finished: !leaves, broken: false, continuousUsage: false },
  };
}

const keeps = (queue: Omit<Queue, "seed">): readonly (boolean | null | undefined)[] =>
  Array.from({ length: 10 }, (_, seed) => {
    const records = simulate({ ...queue, seed });
    return describeLeaving(records, records)?.keepsSlots;
  });

const times = <Value>(value: Value): readonly Value[] => Array.from({ length: 10 }, () => value);

describe("the slots of clients that leave", () => {
  it("are seen to stay taken in a closed loop of as many requests as there are slots", () => {
    expect(keeps({ slots: 8, freeMs: null, arrivals: { concurrency: 8 } })).toEqual(times(true));
  });

  it("accuse no server that gives them back at once, or a token later, be its queue long or empty", () => {
    for (const freeMs of [0, 10]) {
      expect(keeps({ slots: 8, freeMs, arrivals: { concurrency: 8 } })).toEqual(times(false));
      expect(keeps({ slots: 8, freeMs, arrivals: { concurrency: 24 } })).toEqual(times(false));
      expect(keeps({ slots: 8, freeMs, arrivals: { gapMs: 16 } })).toEqual(times(false));
      expect(keeps({ slots: 8, freeMs, arrivals: { gapMs: 40 } })).toEqual(times(false));
    }
  });

  it("are not asked for where no client leaves, and left open where too few requests show them", () => {
    const records = simulate({ slots: 4, freeMs: null, arrivals: { concurrency: 4 }, seed: 1 });
    const stay = records.filter(({ outcome }) => outcome === "ok");
    expect(describeLeaving(stay, stay)).toBeNull();
    expect(describeLeaving(records.slice(0, 30), records.slice(0, 30))?.keepsSlots).toBeNull();
  });
});
