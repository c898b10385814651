import { describe, expect, it } from "vitest";
import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import { packRecords } from "../../../src/load/ledger/record-columns.ts";
import { unpackRecords } from "../../../src/load/ledger/unpack-records.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { countRecord, createOverflow } from "../../../src/load/samples/overflow.ts";
import { givenUpRecord } from "../../../src/load/samples/unanswered-record.ts";
import { context } from "../../make/load/exchange-fixture.ts";
import { makeLoadResult, makeProfile } from "../../make/results/make-load-result.ts";
import { makeSeconds } from "../../make/results/make-seconds.ts";

const durationSeconds = 60;
const perSecond = 20;

interface Odd {
  /** How requests end that are sent in every twelfth second, from this one on. */
  readonly place: number;
  readonly end: Partial<Pick<LoadRecord, "outcome" | "status" | "reusedConnection" | "outputTokens">>;
  /** The longest delay of the event loop in every twelfth second, from the seventh on. */
  readonly stalledMs: number;
  /** Records that are kept; the others are counted. */
  readonly kept?: number;
}

/** Answers of 40 ms, but for those. */
function judge(gates: readonly string[], { place, end, stalledMs, kept = Infinity }: Odd): LoadProfileResult {
  const records = Array.from({ length: durationSeconds * perSecond }, (_, index): LoadRecord => {
    const sentMs = (1000 * index) / perSecond;
    const endMs = sentMs + 40;
    const isOdd = Math.floor(sentMs / 1000) % 12 === place;
    return {
      ...givenUpRecord({ ...context, intendedMs: sentMs, issuedMs: sentMs }, sentMs),
      status: 200,
      outcome: "ok",
      good: !isOdd,
      headersMs: endMs,
      firstByteMs: endMs,
      answeredMs: endMs,
      endMs,
      reusedConnection: true,
      outputTokens: 10,
      ...(isOdd && end),
    };
  });
  const profile = makeProfile(perSecond, durationSeconds, gates);
  const seconds = makeSeconds(durationSeconds + 1, perSecond, (second) => (second % 12 === 6 ? stalledMs : 2));
  const first = records.slice(0, kept);
  const overflow = kept < records.length ? createOverflow() : null;
  for (const record of records.slice(first.length)) if (overflow !== null) countRecord(overflow, record, 0);
  return makeLoadResult(profile, unpackRecords(packRecords(first), first.length, profile.slo), { seconds, overflow });
}

const verdicts = ({ gates }: LoadProfileResult): readonly string[] => gates.map(({ verdict }) => verdict);

const overloaded = { outcome: "server-error", status: 503 } as const;
const limited = { outcome: "burst-limited", status: 429 } as const;
const cut = { outcome: "transport-error", status: null, headersMs: null, firstByteMs: null } as const;
const errors = ["error_rate < 1%", "errors == 0", "ok_rate > 19.9"];
const rejects = ["reject_rate < 1%", "rejects == 0", "ok_rate > 19.9"];
const open = Array(3).fill("inconclusive");
const missed = Array(3).fill("fail");

describe("errors of requests that a stall of this machine held up", () => {
  it.each([
    ["overload", overloaded, errors],
    ["limits", limited, rejects],
  ] as const)("are open where %s may come of what left together", (_, end, gates) => {
    const late = judge([...gates, "goodput > 0.999"], { place: 6, end, stalledMs: 400 });
    expect(late.validity.valid).toBe(true);
    expect(verdicts(late)).toEqual([...open, "inconclusive"]);
    for (const gate of late.gates)
      expect(gate).toMatchObject({ doubt: "instrument", reason: expect.stringContaining("up to 400 ms late") });
    expect(verdicts(judge(gates, { place: 6, end, stalledMs: 60 }))).toEqual(missed);
    expect(verdicts(judge(gates, { place: 9, end, stalledMs: 400 }))).toEqual(missed);
  });

  it("are open where the service may have closed the connection of a slow client", () => {
    for (const end of [cut, { outcome: "client-error", status: 408 } as const]) {
      expect(verdicts(judge(errors, { place: 6, end, stalledMs: 1500 }))).toEqual(open);
      expect(verdicts(judge(errors, { place: 6, end, stalledMs: 400 }))).toEqual(missed);
      expect(verdicts(judge(errors, { place: 9, end, stalledMs: 1500 }))).toEqual(missed);
    }
    // A connection that does not come to be waits for nobody.
    expect(verdicts(judge(errors, { place: 6, end: { ...cut, reusedConnection: null }, stalledMs: 1500 }))).toEqual(missed);
  });

  it("fail where no stall explains them", () => {
    const end = { outcome: "server-error", status: 500 } as const;
    expect(verdicts(judge(errors, { place: 6, end, stalledMs: 1500 }))).toEqual(missed);
  });

  it("leave open the rates of a schedule where they were given up", () => {
    const gates = ["ok_rate > 19.9", "output_tokens_rate > 300"];
    const end = { outcome: "timed-out", outputTokens: 1 } as const;
    expect(verdicts(judge(gates, { place: 6, end, stalledMs: 400 }))).toEqual(["inconclusive", "inconclusive"]);
    expect(verdicts(judge(gates, { place: 9, end, stalledMs: 400 }))).toEqual(["fail", "fail"]);
    expect(verdicts(judge(gates, { place: 6, end, stalledMs: 60 }))).toEqual(["fail", "fail"]);
    expect(verdicts(judge(gates, { place: 6, end, stalledMs: 400, kept: 100 }))).toEqual(["inconclusive", "inconclusive"]);
  });

  it("are open as many as there were in those seconds, where their records were not kept", () => {
    const beside = { stalledMs: 1500, kept: 100 };
    for (const [gates, end] of [[errors, overloaded] as const, [errors, cut] as const, [rejects, limited] as const]) {
      expect(verdicts(judge(gates, { ...beside, place: 6, end }))).toEqual(open);
      expect(verdicts(judge(gates, { ...beside, place: 9, end }))).toEqual(missed);
    }
    expect(verdicts(judge(errors, { ...beside, place: 6, end: { outcome: "server-error", status: 500 } }))).toEqual(missed);
  });
});
