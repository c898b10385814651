import { describe, expect, it } from "vitest";
import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import { packRecords } from "../../../src/load/ledger/record-columns.ts";
import { unpackRecords } from "../../../src/load/ledger/unpack-records.ts";
import type { LoadProfile } from "../../../src/load/profile/load-profile.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { givenUpRecord } from "../../../src/load/samples/unanswered-record.ts";
import { context } from "../../make/load/exchange-fixture.ts";
import { makeLoadResult, makeProfile } from "../../make/results/make-load-result.ts";
import { makeSeconds } from "../../make/results/make-seconds.ts";

const durationSeconds = 60;
const perSecond = 5;
const noLevel = { ttftMs: null, tpotMs: null, userLatencyMs: null };

interface Streams {
  /** When the arrivals of a stream were read, in ms after its send; each brought one token. */
  readonly readMs: readonly number[];
  /** How late the first of them can have been by its own turn of the loop. */
  readonly firstLateMs?: number;
  /** The longest delay of the event loop in a second. */
  readonly loopDelayMs: number | ((second: number) => number);
  readonly slo?: Partial<LoadProfile["slo"]>;
  /** Whether anything is sent in a second. */
  readonly sends?: (second: number) => boolean;
}

/** Streams that are all alike, read by a loop that was late. */
function judge(gates: readonly string[], { readMs, firstLateMs, loopDelayMs, slo, sends = () => true }: Streams) {
  const profile = { ...makeProfile(perSecond, durationSeconds, gates), slo: { ...noLevel, ...slo } };
  const [firstMs = 0, lastMs = 0] = [readMs[0], readMs.at(-1)];
  const records = Array.from({ length: durationSeconds * perSecond }, (_, index): LoadRecord => {
    const sentMs = (1000 * index) / perSecond;
    return {
      ...givenUpRecord({ ...context, intendedMs: sentMs, issuedMs: sentMs }, sentMs),
      status: 200,
      outcome: "ok",
      headersMs: sentMs + firstMs,
      firstByteMs: sentMs + firstMs,
      firstEventMs: sentMs + firstMs,
      firstTokenMs: sentMs + firstMs,
      firstTokenEarliestMs: firstLateMs === undefined ? null : sentMs + firstMs - firstLateMs,
      firstOutputMs: sentMs + firstMs,
      answeredMs: sentMs + lastMs,
      endMs: sentMs + lastMs,
      outputTokens: readMs.length,
      hiddenTokens: 0,
      contentEvents: readMs.length,
      arrivals: readMs.length,
      groups: readMs.map((atMs) => ({ atMs: sentMs + atMs, events: 1, tokens: null })),
      stream: { done: true, finished: true, broken: false, continuousUsage: false },
    };
  }).filter(({ intendedMs }) => sends(Math.floor(intendedMs / 1000)));
  const seconds = makeSeconds(durationSeconds + 1, perSecond, typeof loopDelayMs === "number" ? () => loopDelayMs : loopDelayMs);
  return makeLoadResult(profile, unpackRecords(packRecords(records), records.length, profile.slo), { seconds });
}

const verdicts = ({ gates }: LoadProfileResult): readonly string[] => gates.map(({ verdict }) => verdict);

/** Eleven arrivals, 20 ms apart, the first after 100 ms. */
const even = Array.from({ length: 11 }, (_, at) => 100 + 20 * at);
/** The last of them was read 90 ms late. */
const lateEnd = [...even.slice(0, -1), 390];
/** The first of them was read 90 ms late, and those that came meanwhile with it or after it. */
const lateBegin = [190, 200, 210, 220, 230, 240, 250, 260, 270, 280, 300];

describe("a reading that was late in a stream", () => {
  it("leaves open what a later end of a gap can have missed", () => {
    const gates = [
      "tpot.p50 < 25ms",
      "inter_chunk.max < 100ms",
      "longest_stall.p95 < 100ms",
      "tokens_per_second.p50 > 30",
      "service_latency.p95 < 350ms",
    ];
    const late = judge(gates, { readMs: lateEnd, loopDelayMs: 90 });
    expect(verdicts(late)).toEqual(Array(5).fill("inconclusive"));
    for (const gate of late.gates)
      expect(gate).toMatchObject({ doubt: "instrument", reason: expect.stringContaining("up to 90 ms") });
    expect(verdicts(judge(gates, { readMs: lateEnd, loopDelayMs: 2 }))).toEqual(Array(5).fill("fail"));
  });

  it("leaves failures that are larger than the delays", () => {
    const gates = ["tpot.p50 < 15ms", "inter_chunk.max < 15ms", "longest_stall.p95 < 15ms", "tokens_per_second.p50 > 40"];
    expect(verdicts(judge(gates, { readMs: lateEnd, loopDelayMs: 90 }))).toEqual(Array(4).fill("fail"));
  });

  it("leaves open what a late beginning can have met, but for the bound that the first token has of its own", () => {
    const gates = [
      "tpot.p50 < 15ms",
      "inter_chunk.p50 < 15ms",
      "longest_stall.p95 < 25ms",
      "tpot.p50 < 30ms",
      "inter_chunk.max < 200ms",
    ];
    const late = verdicts(judge(gates, { readMs: lateBegin, loopDelayMs: 90 }));
    expect(late).toEqual(["inconclusive", "inconclusive", "inconclusive", "pass", "pass"]);
    expect(verdicts(judge(gates, { readMs: lateBegin, loopDelayMs: 2 }))).toEqual(Array(5).fill("pass"));
    const own = judge(["tpot.p50 < 15ms"], { readMs: lateBegin, loopDelayMs: 90, firstLateMs: 1 });
    expect(verdicts(own)).toEqual(["pass"]);
  });

  it("leaves open a share of good answers that it can have lowered or raised", () => {
    const gates = ["goodput > 0.9", "goodput_rate > 4"];
    const open = ["inconclusive", "inconclusive"];
    for (const slo of [{ tpotMs: 25 }, { userLatencyMs: 350 }]) {
      const late = judge(gates, { readMs: lateEnd, loopDelayMs: 90, slo });
      expect(verdicts(late)).toEqual(open);
      expect(late.gates[0]).toMatchObject({ doubt: "instrument", observed: 0, reason: expect.stringContaining("up to 90 ms") });
      expect(verdicts(judge(gates, { readMs: lateEnd, loopDelayMs: 2, slo }))).toEqual(["fail", "fail"]);
    }
    expect(verdicts(judge(gates, { readMs: lateEnd, loopDelayMs: 90, slo: { userLatencyMs: 250 } }))).toEqual(["fail", "fail"]);
    const raised = { readMs: lateBegin, slo: { tpotMs: 15 } };
    expect(verdicts(judge(gates, { ...raised, loopDelayMs: 90 }))).toEqual(open);
    expect(verdicts(judge(gates, { ...raised, loopDelayMs: 2 }))).toEqual(["pass", "pass"]);
  });

  it("may be noticed in the second after", () => {
    const late = { readMs: lateEnd, sends: (second: number) => second % 4 === 1 };
    const noticed = (place: number) => (second: number) => (second % 4 === place ? 90 : 2);
    const gates = ["service_latency.p50 < 350ms"];
    expect(verdicts(judge(gates, { ...late, loopDelayMs: noticed(2) }))).toEqual(["inconclusive"]);
    // Two seconds later it was another one: with 0.39 s an answer ends in the second after its send at most.
    expect(verdicts(judge(gates, { ...late, loopDelayMs: noticed(3) }))).toEqual(["fail"]);
  });
});
