import { expect, it } from "vitest";
import type { InstrumentAccuracy } from "../../../src/core/result/generator-health.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { givenUpRecord } from "../../../src/load/samples/unanswered-record.ts";
import { calibrated } from "../../make/load/calibrated.ts";
import { context } from "../../make/load/exchange-fixture.ts";
import { shortProfile } from "../../make/load/run-against.ts";
import { makeLoadResult } from "../../make/results/make-load-result.ts";

const perSecond = 20;
const durationSeconds = 10;
const gates = ["goodput >= 95%", "goodput_rate >= 10/s", "tokens_per_second.p50 >= 30", "error_rate < 5%"];

/** Verdicts on answers of which each took this long to its first token, and 20 ms more to the tenth. */
function judge(ttftMs: number, accuracy: InstrumentAccuracy): readonly string[] {
  const arrivals = { kind: "constant", ratePerSecond: perSecond };
  const profile = shortProfile({ arrivals, durationSeconds, slo: { ttftMs: 300 }, gates });
  const records = Array.from({ length: perSecond * durationSeconds }, (_, index): LoadRecord => {
    const sentMs = (1000 * index) / perSecond;
    const firstMs = sentMs + ttftMs;
    return {
      ...givenUpRecord({ ...context, slo: profile.slo, intendedMs: sentMs, issuedMs: sentMs }, sentMs),
      status: 200,
      outcome: "ok",
      good: ttftMs <= 300,
      firstByteMs: firstMs,
      firstTokenMs: firstMs,
      answeredMs: firstMs + 20,
      endMs: firstMs + 20,
      outputTokens: 10,
      hiddenTokens: 0,
      stream: { done: true, finished: true, broken: false, continuousUsage: true },
    };
  });
  return makeLoadResult(profile, records, { ...accuracy }).gates.map(({ verdict }) => verdict);
}

it("gates on figures that follow from times stand where the error of the calibration cannot have turned them", () => {
  expect(judge(280, calibrated(5))).toEqual(["pass", "pass", "pass", "pass"]);
  expect(judge(320, calibrated(5))).toEqual(["fail", "fail", "fail", "pass"]);
  expect(judge(600, calibrated(40))).toEqual(["fail", "fail", "fail", "pass"]);
});

it("are open where it can have, either way, and where that error is not known", () => {
  expect(judge(280, calibrated(40))).toEqual(["inconclusive", "inconclusive", "inconclusive", "pass"]);
  expect(judge(320, calibrated(40))).toEqual(["inconclusive", "inconclusive", "inconclusive", "pass"]);
  const unknown = { calibration: null, uncalibrated: "the calibration of this machine failed: busy" };
  expect(judge(100, unknown)).toEqual(["inconclusive", "inconclusive", "inconclusive", "pass"]);
  expect(judge(100, { calibration: null })).toEqual(["pass", "pass", "pass", "pass"]);
});
