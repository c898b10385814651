import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/core/random.ts";
import type { LoadProfile } from "../../../src/load/profile/load-profile.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { meetsLevel } from "../../../src/load/samples/meets-level.ts";
import { countRecord, createOverflow } from "../../../src/load/samples/overflow.ts";
import { givenUpRecord } from "../../../src/load/samples/unanswered-record.ts";
import { context } from "../../make/load/exchange-fixture.ts";
import { makeLoadResult, makeProfile } from "../../make/results/make-load-result.ts";
import { makeSeconds } from "../../make/results/make-seconds.ts";

const durationSeconds = 60;
const perSecond = 20;
const noLevel = { ttftMs: null, tpotMs: null, userLatencyMs: null };

interface Counted {
  readonly loopDelayMs: (second: number) => number;
  readonly slo?: Partial<LoadProfile["slo"]>;
  /** Whether what ends in a second is given up. */
  readonly isGivenUp?: (second: number) => boolean;
}

/** Answers of 240 ms that were read up to 90 ms late, of which 100 are kept as records and all others are counted. */
function verdictsOf(gates: readonly string[], { loopDelayMs, slo, isGivenUp = () => false }: Counted): readonly string[] {
  const profile = { ...makeProfile(perSecond, durationSeconds, gates), slo: { ...noLevel, ...slo } };
  const random = createRandom(7);
  const all = Array.from({ length: durationSeconds * perSecond }, (_, index): LoadRecord => {
    const sentMs = (1000 * index) / perSecond;
    const firstTokenMs = sentMs + 240 + 90 * random.next();
    const endMs = firstTokenMs + 20;
    const record: LoadRecord = {
      ...givenUpRecord({ ...context, intendedMs: sentMs, issuedMs: sentMs }, sentMs),
      status: 200,
      outcome: isGivenUp(Math.floor(endMs / 1000)) ? "timed-out" : "ok",
      headersMs: firstTokenMs,
      firstByteMs: firstTokenMs,
      firstEventMs: firstTokenMs,
      firstTokenMs,
      firstTokenEarliestMs: firstTokenMs - 5,
      answeredMs: endMs,
      endMs,
      outputTokens: 5,
      hiddenTokens: 0,
      tpotMs: 10,
      stream: { done: true, finished: true, broken: false, continuousUsage: false },
    };
    return { ...record, ...meetsLevel(record, record, profile.slo) };
  });
  const overflow = createOverflow();
  for (const record of all.slice(100)) countRecord(overflow, record, 0);
  const seconds = makeSeconds(durationSeconds + 1, perSecond, loopDelayMs);
  const { gates: judged } = makeLoadResult(profile, all.slice(0, 100), { seconds, overflow });
  return judged.map(({ verdict }) => verdict);
}

const always = (ms: number) => (): number => ms;

describe("lateness of requests whose records were not kept", () => {
  it("turns no gate that the longest delay could have turned", () => {
    const gates = ["ttft.p95 < 300ms", "user_latency.p50 < 290ms", "tokens_per_second.p50 > 18"];
    const open = ["inconclusive", "inconclusive", "inconclusive"];
    expect(verdictsOf(gates, { loopDelayMs: always(90) })).toEqual(open);
    expect(verdictsOf(gates, { loopDelayMs: always(2) })).toEqual(["fail", "fail", "fail"]);
    const apart = ["ttft.p95 < 200ms", "user_latency.p50 < 150ms", "ttft.p95 < 400ms", "tokens_per_second.p50 > 50"];
    expect(verdictsOf(apart, { loopDelayMs: always(90) })).toEqual(["fail", "fail", "pass", "fail"]);
  });

  it("leaves a speed open by no more than the intervals of first tokens", () => {
    expect(verdictsOf(["tpot.p50 < 12ms", "tpot.p50 < 20ms"], { loopDelayMs: always(90) })).toEqual(["inconclusive", "pass"]);
    expect(verdictsOf(["tpot.p50 < 12ms", "tpot.p50 < 20ms"], { loopDelayMs: always(1) })).toEqual(["pass", "pass"]);
  });

  it("leaves open a share of good answers by those that the delays can have turned", () => {
    const slo = { ttftMs: 270 };
    expect(verdictsOf(["goodput > 0.9"], { loopDelayMs: always(90), slo })).toEqual(["inconclusive"]);
    expect(verdictsOf(["goodput > 0.9"], { loopDelayMs: always(2), slo })).toEqual(["fail"]);
    expect(verdictsOf(["goodput > 0.9"], { loopDelayMs: always(90), slo: { ttftMs: 100 } })).toEqual(["fail"]);
  });

  it("leaves open whether requests timed out that failed while the loop stood still", () => {
    const stalled = (second: number): number => (second % 12 === 6 ? 400 : 2);
    const at = (place: number) => (second: number) => second > 10 && second % 12 === place;
    expect(verdictsOf(["timeout_rate == 0"], { loopDelayMs: stalled, isGivenUp: at(6) })).toEqual(["inconclusive"]);
    expect(verdictsOf(["timeout_rate == 0"], { loopDelayMs: stalled, isGivenUp: at(9) })).toEqual(["fail"]);
    expect(verdictsOf(["timeout_rate == 0"], { loopDelayMs: always(2), isGivenUp: at(6) })).toEqual(["fail"]);
  });
});
