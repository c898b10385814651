import { describe, expect, it } from "vitest";
import { createRandom, type Random } from "../../../src/core/random.ts";
import { findQueue, type QueueRecord } from "../../../src/load/samples/find-queue.ts";

const seeds = Array.from({ length: 40 }, (_, index) => index + 1);
const exponential = (random: Random, mean: number): number => -mean * Math.log(1 - random.next());

/** A stream of ten words whose head came after `waitMs`. */
function stream(sentMs: number, waitMs: number, modelMs = 60, paceMs = 20): QueueRecord {
  const headersMs = sentMs + waitMs;
  const firstTokenMs = headersMs + modelMs;
  const answeredMs = firstTokenMs + 9 * paceMs;
  return {
    endpoint: "chat",
    outcome: "ok",
    sentMs,
    headersMs,
    firstTokenMs,
    answeredMs,
    endMs: answeredMs + 1,
    contentEvents: 10,
  };
}

function sends(random: Random, ratePerSecond: number, count: number, gaps: "even" | "random"): readonly number[] {
  let atMs = 0;
  return Array.from({ length: count }, () => {
    atMs += gaps === "even" ? 1000 / ratePerSecond + random.next() : exponential(random, 1000 / ratePerSecond);
    return atMs;
  });
}

/** First come, first served by `slots` at once; the head comes when the service begins or when it is over. */
function served(
  random: Random,
  times: readonly number[],
  service: () => number,
  { slots = 1, head = "end" }: { readonly slots?: number; readonly head?: "begin" | "end" } = {},
): readonly QueueRecord[] {
  const freeAt = Array.from({ length: slots }, () => 0);
  return times.map((atMs) => {
    freeAt.sort((a, b) => a - b);
    const beginMs = Math.max(atMs, freeAt[0] ?? 0);
    const endMs = beginMs + service();
    freeAt[0] = endMs;
    return stream(atMs, (head === "begin" ? beginMs : endMs) - atMs + 1 + random.next(), 50 + 20 * random.next());
  });
}

/** Share of the seeds with which a queue is found. */
function found(make: (random: Random) => readonly QueueRecord[]): number {
  const hits = seeds.filter((seed) => {
    const records = make(createRandom(seed));
    return findQueue(records, records) !== null;
  });
  return hits.length / seeds.length;
}

describe("a queue before the head", () => {
  it.each<[string, (random: Random) => readonly QueueRecord[]]>([
    ["one at a time, 300 ms each, 4 a second", (random) => served(random, sends(random, 4, 24, "even"), () => 300)],
    [
      "one at a time, nobody waits five times as long as the first",
      (random) => served(random, sends(random, 13, 32, "even"), () => 85),
    ],
    ["one at a time below its capacity", (random) => served(random, sends(random, 4, 100, "random"), () => 200)],
    ["work of random length", (random) => served(random, sends(random, 4, 200, "random"), () => exponential(random, 230))],
    [
      "four slots",
      (random) => served(random, sends(random, 20, 150, "random"), () => exponential(random, 210), { slots: 4, head: "begin" }),
    ],
    [
      "a limiter that lets one through each 45 ms",
      (random) => served(random, sends(random, 30, 60, "even"), () => 45, { head: "begin" }),
    ],
  ])("is found: %s", (_, make) => {
    expect(found(make)).toBeGreaterThanOrEqual(0.85);
  });

  it("counts who waited, out of all streams", () => {
    const records = served(createRandom(1), sends(createRandom(2), 4, 24, "even"), () => 300);
    const queue = findQueue(records, records);
    expect(queue?.outOf).toBe(24);
    expect(queue?.count).toBeGreaterThan(12);
  });

  it("counts whoever stands in line, also what was refused or given up in the end", () => {
    const records = served(createRandom(1), sends(createRandom(2), 4, 60, "even"), () => 300);
    const streams = records.filter((_, index) => index % 2 === 0);
    const all = records.map((record, index): QueueRecord =>
      index % 2 === 0 ? record : { ...record, outcome: "transport-error", headersMs: null },
    );
    expect(findQueue(streams, all)).not.toBeNull();
  });
});

describe("no queue", () => {
  /** Pauses of the whole machine: what was sent within one is answered when it ends, 3 ms of work each. */
  const pauses = (random: Random, count: number, everyMs: number): readonly QueueRecord[] => {
    const list = Array.from({ length: count }, (_, index) => {
      const fromMs = everyMs * index + 500 * random.next();
      return { fromMs, toMs: fromMs + 50 + 300 * random.next() };
    });
    let freeAt = 0;
    return sends(random, 30, 300, "random").map((atMs) => {
      const pause = list.find(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs);
      freeAt = Math.max(pause?.toMs ?? atMs, freeAt) + 3;
      return stream(atMs, freeAt - atMs);
    });
  };

  it.each<[string, (random: Random) => readonly QueueRecord[]]>([
    ["a plain server", (random) => sends(random, 20, 180, "random").map((at) => stream(at, 2 + exponential(random, 2)))],
    ["slow at random, even sends", (random) => sends(random, 4, 60, "even").map((at) => stream(at, 100 + 1400 * random.next()))],
    [
      "slow at random, random sends",
      (random) => sends(random, 10, 100, "random").map((at) => stream(at, 100 + 1400 * random.next())),
    ],
    ["a heavy tail", (random) => sends(random, 10, 180, "random").map((at) => stream(at, 50 * Math.exp(exponential(random, 1))))],
    ["always slow", (random) => sends(random, 10, 100, "random").map((at) => stream(at, 700 + 5 * random.next()))],
    [
      "slow for a while, more or less so",
      (random) => {
        const spells = Array.from({ length: 40 }, () => (random.next() < 0.5 ? 20 : 20 + 900 * random.next()));
        return sends(random, 20, 300, "random").map((at) =>
          stream(at, (spells[Math.floor(at / 1500)] ?? 20) + 5 * random.next()),
        );
      },
    ],
    ["a busy machine", (random) => pauses(random, 12, 1000)],
    ["a machine that pauses now and then", (random) => pauses(random, 4, 2500)],
    ["forty at one instant", () => Array.from({ length: 40 }, (_, index) => stream(index / 20, 5 + 2 * index))],
  ])("is made out of %s", (_, make) => {
    expect(found(make)).toBe(0);
  });

  it("is made out of a model that answers slowly to many: it is slow after the head too", () => {
    const shared = (random: Random): readonly QueueRecord[] => {
      const times = sends(random, 10, 150, "random");
      return times.map((at) => {
        const others = times.filter((other) => other < at && other > at - 600).length;
        return stream(at, 40 + 40 * others, 60 + 30 * others, 20 + 10 * others);
      });
    };
    expect(found(shared)).toBeLessThanOrEqual(0.05);
  });

  it("is made out of few streams, nor of a closed loop, whose line is always as long", () => {
    const random = createRandom(1);
    const few = served(random, sends(random, 4, 19, "even"), () => 300);
    expect(findQueue(few, few)).toBeNull();
    const slots = Array.from({ length: 8 }, () => 0);
    let freeAt = 0;
    const closed = Array.from({ length: 80 }, () => {
      slots.sort((a, b) => a - b);
      const atMs = slots[0] ?? 0;
      freeAt = Math.max(atMs, freeAt) + 50;
      slots[0] = freeAt + 250;
      return stream(atMs, freeAt - atMs);
    });
    expect(findQueue(closed, closed)).toBeNull();
  });
});
