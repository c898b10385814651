import { describe, expect, it } from "vitest";
import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import { createRandom } from "../../../src/core/random.ts";
import { packRecords } from "../../../src/load/ledger/record-columns.ts";
import { unpackRecords } from "../../../src/load/ledger/unpack-records.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { givenUpRecord } from "../../../src/load/samples/unanswered-record.ts";
import type { SummaryInput } from "../../../src/load/judge/summary-input.ts";
import { context } from "../../make/load/exchange-fixture.ts";
import { makeLoadResult, makeProfile } from "../../make/results/make-load-result.ts";
import { makeSeconds } from "../../make/results/make-seconds.ts";

const durationSeconds = 60;

interface Late {
  readonly perSecond: number;
  readonly latencyMs: (intendedMs: number) => number;
  /** The longest delay of the event loop in a second. */
  readonly loopDelayMs: (second: number) => number;
  /** The attempt that was answered, and how long after the first one it was sent. */
  readonly first?: { readonly attempt: number; readonly waitedMs: number };
  readonly outcome?: (endMs: number) => "ok" | "timed-out";
  readonly changes?: Partial<SummaryInput>;
}

function judge(
  gates: readonly string[],
  { perSecond, latencyMs, loopDelayMs, changes, first, outcome }: Late,
): LoadProfileResult {
  const lengthSeconds = durationSeconds + (changes?.repeated ?? 0);
  const records = Array.from({ length: lengthSeconds * perSecond }, (_, index): LoadRecord => {
    const intendedMs = (1000 * index) / perSecond;
    const endMs = intendedMs + latencyMs(intendedMs);
    const issuedMs = intendedMs + (first?.waitedMs ?? 0);
    return {
      ...givenUpRecord({ ...context, intendedMs, issuedMs }, issuedMs),
      attempt: first?.attempt ?? 1,
      status: 200,
      outcome: outcome?.(endMs) ?? "ok",
      good: true,
      answeredMs: endMs,
      endMs,
      headersMs: endMs,
      firstByteMs: endMs - 1,
      firstTokenMs: endMs - 1,
      stream: { done: true, finished: true, broken: false, continuousUsage: false },
      contentEvents: 10,
    };
  });
  const seconds = makeSeconds(lengthSeconds + 1, perSecond, loopDelayMs);
  const profile = makeProfile(perSecond, durationSeconds, gates);
  const kept = unpackRecords(packRecords(records), records.length, profile.slo);
  return makeLoadResult(profile, kept, { seconds, ...changes });
}

const verdicts = ({ gates }: LoadProfileResult): readonly string[] => gates.map(({ verdict }) => verdict);

/** Answers of 240 ms that were read up to 90 ms late. */
function readLate(loopDelayMs: number): Late {
  const random = createRandom(7);
  return { perSecond: 20, latencyMs: () => 240 + 90 * random.next(), loopDelayMs: () => loopDelayMs };
}

describe("the event loop of the generator during a load", () => {
  it("turns no gate that it could have turned, though no second was tainted", () => {
    const result = judge(["ttft.p95 < 300ms", "user_latency.p50 < 270ms", "ttft.p95 < 400ms"], readLate(90));
    expect(verdicts(result)).toEqual(["inconclusive", "inconclusive", "pass"]);
    expect(result.gates[0]).toMatchObject({ doubt: "instrument", reason: expect.stringContaining("up to 90 ms late") });
    expect(result.validity.valid).toBe(true);
  });

  it("leaves a failure that is larger than its delays, and one of a calm machine", () => {
    expect(verdicts(judge(["ttft.p95 < 200ms", "user_latency.max < 200ms"], readLate(90)))).toEqual(["fail", "fail"]);
    expect(verdicts(judge(["ttft.p95 < 300ms", "user_latency.p50 < 270ms"], readLate(2)))).toEqual(["fail", "fail"]);
  });

  it("is taken from what was in flight when a second began that was measured again", () => {
    const stalls = [10, 20];
    const result = judge(["user_latency.max < 1s", "user_latency.max < 300ms"], {
      perSecond: 5,
      latencyMs(intendedMs) {
        const endMs = intendedMs + 400;
        const stall = stalls.find((second) => endMs > 1000 * second && endMs < 1000 * second + 900);
        return stall === undefined ? 400 : 1000 * stall + 900 - intendedMs;
      },
      loopDelayMs: (second) => (stalls.includes(second) ? 900 : 2),
      changes: { repeated: 2, toMs: 62_000, endMs: 62_500 },
    });
    expect(result.health.replacedSeconds).toBe(2);
    expect(verdicts(result)).toEqual(["inconclusive", "fail"]);
  });

  it("leaves open whether requests timed out that were given up while it stood still, and no others", () => {
    const gates = ["timeout_rate == 0", "observations.timed-out == 0"];
    /** Those that would be read in every twelfth second are given up, where this holds. */
    const timedOut = (second: number, stalledMs: number): LoadProfileResult =>
      judge(gates, {
        perSecond: 20,
        latencyMs: () => 10,
        loopDelayMs: (at) => (at % 12 === 6 ? stalledMs : 2),
        outcome: (atMs) => (Math.floor(atMs / 1000) % 12 === second ? "timed-out" : "ok"),
      });
    const late = timedOut(6, 400);
    expect(late.validity.valid).toBe(true);
    for (const gate of late.gates) expect(gate).toMatchObject({ verdict: "inconclusive", doubt: "instrument" });
    expect(verdicts(timedOut(6, 60))).toEqual(["fail", "fail"]);
    expect(verdicts(timedOut(9, 400))).toEqual(["fail", "fail"]);
  });

  it("does not excuse what the target made a user wait for until a second attempt", () => {
    const first = { attempt: 2, waitedMs: 600 };
    const result = judge(["user_latency.p50 < 500ms"], { ...readLate(2), latencyMs: () => 700, first });
    expect(verdicts(result)).toEqual(["fail"]);
  });
});
