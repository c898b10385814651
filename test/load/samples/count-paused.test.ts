import { describe, expect, it } from "vitest";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { measureExchange } from "../../../src/load/samples/measure-exchange.ts";
import { observeStreams } from "../../../src/load/samples/stream-honesty.ts";
import { context, delta, streamed } from "../../make/load/exchange-fixture.ts";

let sent = 0;

/** A stream whose chunks arrive at these instants after it was sent; those of one instant in one read. */
function stream(sentMs: number, arrivals: readonly number[]): LoadRecord {
  const events = arrivals.map((atMs, index) => delta(100 + atMs, { content: `w${index}` }, {}, atMs));
  const { record } = measureExchange(streamed(events), context);
  const later = (atMs: number | null): number | null => (atMs === null ? null : atMs + sentMs - 100);
  return {
    ...record,
    seq: (sent += 1),
    sentMs,
    headersMs: later(record.headersMs),
    firstEventMs: later(record.firstEventMs),
    firstTokenMs: later(record.firstTokenMs),
    answeredMs: record.answeredMs + sentMs - 100,
    endMs: record.endMs + sentMs - 100,
    groups: record.groups.map((group) => ({ ...group, atMs: group.atMs + sentMs - 100 })),
  };
}

const every = (fromMs: number, gapMs: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => fromMs + gapMs * index);
const even = every(20, 10, 20);
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

  /** Nothing happens for 220 ms, and then all that was due comes at once. */
  const paused = [0, 4, 9].map((before) => stream(10_000 - before, held(220 + before)));

  it("may be held back by a pause in which a stream that was being written stood still", () => {
    const half = stream(
      9900,
      even.map((atMs) => (atMs < 100 ? atMs : Math.max(atMs, 320))),
    );
    expect(buffered(observeStreams([...honest, half, ...paused]))).toEqual([0, 3]);
  });

  it("are held back where nothing shows a pause", () => {
    expect(buffered(observeStreams([...honest, ...paused]))).toEqual([3, 0]);
  });

  it("may be held back by a pause that lets go of streams of different ages at once", () => {
    const ages = [0, 90, 180, 400].map((beforeMs) => stream(20_000 - beforeMs, held(450 + beforeMs)));
    expect(buffered(observeStreams([...honest, ...ages]))).toEqual([0, 4]);
    // Something arrived meanwhile.
    expect(buffered(observeStreams([...honest, stream(20_180, even), ...ages]))).toEqual([4, 0]);
  });

  it.each([
    ["alone", 1, 500],
    ["one behind the other", 1, 83],
    ["eight at a time in lockstep", 8, 1000],
  ])("are held back where all of them are, %s", (_, together, gapMs) => {
    const all = Array.from({ length: 80 }, (_one, index) => stream(1000 + gapMs * Math.floor(index / together), held(215)));
    expect(buffered(observeStreams(all))).toEqual([80, 0]);
  });

  it("are held back where less than half of them are, one after the other", () => {
    const some = Array.from({ length: 100 }, (_, index) => stream(1000 + 500 * index, index % 5 < 2 ? held(215) : even));
    expect(buffered(observeStreams(some))).toEqual([40, 0]);
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

  it("may be clumped by pauses in which others stood still", () => {
    const some = [0, 1, 2].map((place) => stream(9000 + 500 * place, inClumps(50)));
    // One read between two pauses is enough to be no clump: twelve of its chunks came before them.
    const beside = [0, 1, 2].map((place) =>
      stream(8880 + 500 * place, [...every(20, 8, 12), 170, 220, 270, 320, 321, 322, 323, 324]),
    );
    expect(clumped(observeStreams([...honest, ...beside, ...some]))).toEqual([0, 3]);
  });
});
