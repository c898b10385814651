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

const slots = 10;

interface Loop {
  /** From a send to the reading of its answer, by the number of the turn. */
  readonly turnMs: (turn: number) => number;
  /** The longest delay of the event loop in a second. */
  readonly loopDelayMs: number;
  /** All delays of a second together; absent: nobody knows. */
  readonly heldMs?: number;
  readonly thinkMs?: number;
  readonly outcome?: LoadRecord["outcome"];
  readonly durationSeconds?: number;
}

/** Slots that send again when an answer was read, each with ten tokens. */
function judge(gates: readonly string[], loop: Loop): LoadProfileResult {
  const { turnMs, loopDelayMs, heldMs, thinkMs = 0, outcome = "ok", durationSeconds = 60 } = loop;
  const profile: LoadProfile = {
    ...makeProfile(1, durationSeconds, gates),
    arrivals: { kind: "closed", concurrency: slots, thinkMs },
  };
  const records: LoadRecord[] = [];
  for (let slot = 0; slot < slots; slot += 1) {
    for (let atMs = slot, turn = slot; atMs < 1000 * durationSeconds; turn += 1) {
      const endMs = atMs + turnMs(turn);
      records.push({
        ...givenUpRecord({ ...context, intendedMs: atMs, issuedMs: atMs }, atMs),
        status: outcome === "ok" ? 200 : 500,
        outcome,
        good: outcome === "ok",
        headersMs: endMs,
        firstByteMs: endMs,
        answeredMs: endMs,
        endMs,
        outputTokens: outcome === "ok" ? 10 : null,
        reusedConnection: true,
      });
      atMs = endMs + thinkMs;
    }
  }
  records.sort((a, b) => a.endMs - b.endMs);
  const seconds = makeSeconds(durationSeconds + 1, 1, () => loopDelayMs);
  const health = seconds.map(({ second }) => {
    const seen = { second, loopUtilization: 0.2, loopDelayMaxMs: loopDelayMs, runDelayMs: null };
    return heldMs === undefined ? seen : { ...seen, heldMs };
  });
  return makeLoadResult(profile, unpackRecords(packRecords(records), records.length, profile.slo), { seconds, health });
}

const verdicts = ({ gates }: LoadProfileResult): readonly string[] => gates.map(({ verdict }) => verdict);

/** Answers of 200 ms that were read up to 90 ms late: 41 a second in place of 50. */
const readLate = { turnMs: (turn: number) => 200 + 10 * (turn % 10) };
/** Answers of 2 ms. */
const quick = { turnMs: () => 2, durationSeconds: 5 };

describe("a loop whose answers were read late", () => {
  it("leaves open the rates that it would have had without delays", () => {
    const gates = ["ok_rate > 45", "achieved_rate > 45", "output_tokens_rate > 450", "goodput_rate > 45", "requests >= 2700"];
    const late = judge(gates, { ...readLate, loopDelayMs: 90 });
    expect(late.validity.valid).toBe(true);
    expect(verdicts(late)).toEqual(Array(5).fill("inconclusive"));
    for (const gate of late.gates)
      expect(gate).toMatchObject({ doubt: "instrument", reason: expect.stringContaining("up to 90 ms late") });
    expect(verdicts(judge(gates, { ...readLate, loopDelayMs: 2 }))).toEqual(Array(5).fill("fail"));
  });

  it("leaves open an upper bound that these rates exceed, and no lower bound that is met", () => {
    const gates = ["ok_rate < 45", "ok_rate > 35"];
    expect(verdicts(judge(gates, { ...readLate, loopDelayMs: 90 }))).toEqual(["inconclusive", "pass"]);
    expect(verdicts(judge(gates, { ...readLate, loopDelayMs: 2 }))).toEqual(["pass", "pass"]);
  });

  it("misses what no delay explains", () => {
    const gates = ["ok_rate > 80", "achieved_rate > 80", "output_tokens_rate > 800", "goodput_rate > 80", "requests >= 4800"];
    expect(verdicts(judge(gates, { ...readLate, loopDelayMs: 90 }))).toEqual(Array(5).fill("fail"));
  });

  it("lost no more than all delays together, though one of them is longer than many turns", () => {
    const gates = ["ok_rate > 5500", "ok_rate > 7000"];
    expect(verdicts(judge(gates, { ...quick, loopDelayMs: 15, heldMs: 200 }))).toEqual(["inconclusive", "fail"]);
    expect(verdicts(judge(["ok_rate > 45"], { ...readLate, loopDelayMs: 90, heldMs: 40 }))).toEqual(["fail"]);
  });

  it("lost time twice in a turn with a thought", () => {
    const gates = ["ok_rate > 35"];
    const thoughtful = { turnMs: () => 200, thinkMs: 200 };
    expect(verdicts(judge(gates, { ...thoughtful, loopDelayMs: 90 }))).toEqual(["inconclusive"]);
    expect(verdicts(judge(gates, { ...thoughtful, loopDelayMs: 40 }))).toEqual(["fail"]);
  });

  it("makes no answers of errors", () => {
    const failing = { ...readLate, loopDelayMs: 90, outcome: "server-error" } as const;
    expect(verdicts(judge(["ok_rate > 1", "error_rate < 5%"], failing))).toEqual(["fail", "fail"]);
  });
});
