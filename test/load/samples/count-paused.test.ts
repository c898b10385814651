import { describe, expect, it } from "vitest";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { measureExchange } from "../../../src/load/samples/measure-exchange.ts";
import { observeStreams } from "../../../src/load/samples/stream-honesty.ts";
import { context, delta, streamed } from "../../make/load/exchange-fixture.ts";

/** A stream whose chunks arrive at these instants after it was sent; those of one instant in one read. */
function stream(sentMs: number, arrivals: readonly number[]): LoadRecord {
  const events = arrivals.map((atMs, index) => delta(100 + atMs, { content: `w${index}` }, {}, atMs));
  const { record } = measureExchange(streamed(events), context);
  const later = (atMs: number | null): number | null => (atMs === null ? null : atMs + sentMs - 100);
  return {
    ...record,
    sentMs,
    headersMs: later(record.headersMs),
    firstEventMs: later(record.firstEventMs),
    firstTokenMs: later(record.firstTokenMs),
    answeredMs: record.answeredMs + sentMs - 100,
    endMs: record.endMs + sentMs - 100,
    groups: record.groups.map((group) => ({ ...group, atMs: group.atMs + sentMs - 100 })),
  };
}

const even = Array.from({ length: 20 }, (_, index) => 20 + 10 * index);
/** All chunks of the even stream that were due by `toMs` come then. */
const held = (toMs: number): readonly number[] => even.map((atMs) => Math.max(atMs, toMs));
const honest = Array.from({ length: 40 }, (_, index) => stream(1000 + 80 * index, even));
const buffered = ({ observations, paused }: ReturnType<typeof observeStreams>): readonly [seen: number, paused: number] => [
  observations.find(({ id }) => id === "buffered")?.count ?? 0,
  paused.get("buffered") ?? 0,
];

describe("streams that come late in one piece", () => {
  it("are held back by something on the way while others arrive meanwhile", () => {
    const late = [8, 16, 24].map((place) => stream(1000 + 80 * place, held(215)));
    expect(buffered(observeStreams([...honest, ...late]))).toEqual([3, 0]);
  });

  it("may be held back by a pause where nothing arrived meanwhile", () => {
    // Nothing happens from 10,000 to 10,215 ms, and then all that was due comes at once.
    const paused = [0, 4, 9].map((before) => stream(10_000 - before, held(215 + before)));
    expect(buffered(observeStreams([...honest, ...paused]))).toEqual([0, 3]);
  });

  it("are held back where all of them are and no other was under way", () => {
    const alone = Array.from({ length: 10 }, (_, index) => stream(1000 + 500 * index, held(215)));
    expect(buffered(observeStreams(alone))).toEqual([10, 0]);
  });

  it("are held back where all of them are, one behind the other", () => {
    const all = Array.from({ length: 40 }, (_, index) => stream(1000 + 83 * index, held(215)));
    const [seen, paused] = buffered(observeStreams(all));
    expect(seen).toBeGreaterThanOrEqual(38);
    expect(seen + paused).toBe(40);
  });
});

describe("streams that come in clumps", () => {
  const inClumps = (every: number): readonly number[] => even.map((atMs) => Math.ceil(atMs / every) * every);
  const clumped = ({ observations, paused }: ReturnType<typeof observeStreams>): readonly [seen: number, paused: number] => [
    observations.find(({ id }) => id === "clumped")?.count ?? 0,
    paused.get("clumped") ?? 0,
  ];

  it("are clumped while others arrive evenly", () => {
    const some = [8, 16, 24].map((place) => stream(1003 + 80 * place, inClumps(50)));
    expect(clumped(observeStreams([...honest, ...some]))).toEqual([3, 0]);
  });

  it("may be clumped by pauses in which nothing else arrived", () => {
    const some = [8, 16, 24].map((place) => stream(9000 + 500 * place, inClumps(50)));
    expect(clumped(observeStreams([...honest, ...some]))).toEqual([0, 3]);
  });
});
