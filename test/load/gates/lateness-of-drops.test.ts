import { describe, expect, it } from "vitest";
import { packRecords } from "../../../src/load/ledger/record-columns.ts";
import { unpackRecords } from "../../../src/load/ledger/unpack-records.ts";
import type { LoadProfile } from "../../../src/load/profile/load-profile.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { countRecord, createOverflow } from "../../../src/load/samples/overflow.ts";
import { givenUpRecord, notSentRecord } from "../../../src/load/samples/unanswered-record.ts";
import { context } from "../../make/load/exchange-fixture.ts";
import { makeLoadResult, makeProfile } from "../../make/results/make-load-result.ts";
import { makeSeconds } from "../../make/results/make-seconds.ts";

const durationSeconds = 60;
const perSecond = 20;
const gates = ["dropped_rate < 0.1%", "achieved_rate > 19.9", "ok_rate > 19.9"];

interface Dropping {
  readonly isDropped: (index: number) => boolean;
  readonly reason?: LoadRecord["notSent"];
  readonly latencyMs: number;
  /** The longest delay of the event loop in a second. */
  readonly loopDelayMs: (second: number) => number;
  /** Records that are kept; the others are counted. */
  readonly kept?: number;
}

function verdictsOf({
  isDropped,
  reason = "max-in-flight",
  latencyMs,
  loopDelayMs,
  kept = Infinity,
}: Dropping): readonly string[] {
  const records = Array.from({ length: durationSeconds * perSecond }, (_, index): LoadRecord => {
    const atMs = (1000 * index) / perSecond;
    const at = { ...context, intendedMs: atMs, issuedMs: atMs };
    return isDropped(index) && reason !== null ? notSentRecord(at, reason) : answered(givenUpRecord(at, atMs), latencyMs);
  });
  return judge(makeProfile(perSecond, durationSeconds, gates), records, { loopDelayMs, kept });
}

function answered(record: LoadRecord, latencyMs: number): LoadRecord {
  const endMs = record.sentMs + latencyMs;
  const times = { headersMs: endMs, firstByteMs: endMs, answeredMs: endMs, endMs };
  return { ...record, ...times, status: 200, outcome: "ok", good: true, reusedConnection: true };
}

function judge(
  profile: LoadProfile,
  records: readonly LoadRecord[],
  { loopDelayMs, kept = Infinity }: Pick<Dropping, "loopDelayMs" | "kept">,
): readonly string[] {
  const first = records.slice(0, kept);
  const overflow = kept < records.length ? createOverflow() : null;
  for (const record of records.slice(first.length)) if (overflow !== null) countRecord(overflow, record, 0);
  const seconds = makeSeconds(durationSeconds + 8, perSecond, loopDelayMs);
  const read = unpackRecords(packRecords(first), first.length, profile.slo);
  return makeLoadResult(profile, read, { seconds, overflow }).gates.map(({ verdict }) => verdict);
}

const open = Array(3).fill("inconclusive");
const missed = Array(3).fill("fail");
/** In three seconds of twelve, around this one. */
const around = (place: number) => (index: number) => Math.abs((Math.floor(index / perSecond) % 12) - place) <= 1;
const stalled = (ms: number) => (second: number) => (second % 12 === 6 ? ms : 2);

describe("requests that found no place in flight", () => {
  it("leave open what a stall of this machine can have dropped", () => {
    const long = { latencyMs: 5000, isDropped: around(6) };
    expect(verdictsOf({ ...long, loopDelayMs: stalled(400) })).toEqual(open);
    expect(verdictsOf({ ...long, loopDelayMs: stalled(60) })).toEqual(missed);
    expect(verdictsOf({ ...long, loopDelayMs: stalled(400), isDropped: around(9) })).toEqual(missed);
    // A wait that the target asked for is none of this machine.
    expect(verdictsOf({ ...long, loopDelayMs: stalled(400), reason: "retry-after" })).toEqual(missed);
  });

  it("leave it open where their records were not kept", () => {
    const beside = { latencyMs: 2000, kept: 100 };
    expect(verdictsOf({ ...beside, loopDelayMs: stalled(400), isDropped: around(6) })).toEqual(open);
    expect(verdictsOf({ ...beside, loopDelayMs: stalled(400), isDropped: around(9) })).toEqual(missed);
  });

  it("would have found one as often as answers that were read late held them", () => {
    const isDropped = (index: number): boolean => index % 10 === 3;
    expect(verdictsOf({ isDropped, latencyMs: 200, loopDelayMs: () => 90 })).toEqual(open);
    expect(verdictsOf({ isDropped, latencyMs: 200, loopDelayMs: () => 2 })).toEqual(missed);
    expect(verdictsOf({ isDropped, latencyMs: 2000, loopDelayMs: () => 90 })).toEqual(missed);
  });
});

it("later turns are open where this machine cut off the turn before them, and only there", () => {
  const profile: LoadProfile = {
    ...makeProfile(perSecond, durationSeconds, ["dropped_rate < 0.1%"]),
    arrivals: {
      kind: "sessions",
      ratePerSecond: 10,
      turns: { kind: "fixed", value: 2 },
      thinkSeconds: { kind: "fixed", value: 0 },
    },
  };
  const talks = (outcome: "timed-out" | "server-error", place: number): readonly LoadRecord[] =>
    Array.from({ length: 10 * durationSeconds }, (_, session) => {
      const atMs = 100 * session;
      const at = { ...context, intendedMs: atMs, issuedMs: atMs, session, turn: 1 };
      const begun = answered(givenUpRecord(at, atMs), 40);
      const later = { ...context, intendedMs: atMs + 50, issuedMs: atMs + 50, session, turn: 2 };
      if (Math.floor(session / 10) % 12 !== place) return [begun, answered(givenUpRecord(later, atMs + 50), 40)];
      return [{ ...begun, outcome, good: false }, notSentRecord(later, "cancelled")];
    }).flat();
  expect(judge(profile, talks("timed-out", 6), { loopDelayMs: stalled(400) })).toEqual(["inconclusive"]);
  expect(judge(profile, talks("timed-out", 9), { loopDelayMs: stalled(400) })).toEqual(["fail"]);
  expect(judge(profile, talks("server-error", 6), { loopDelayMs: stalled(400) })).toEqual(["fail"]);
});
