import { expect, it } from "vitest";
import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import { readProfile } from "../../../src/load/plan/read-profile.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { givenUpRecord } from "../../../src/load/samples/unanswered-record.ts";
import { context } from "../../make/load/exchange-fixture.ts";
import { makeLoadResult } from "../../make/results/make-load-result.ts";
import { makeSeconds } from "../../make/results/make-seconds.ts";

const profile = readProfile(
  JSON.stringify({
    id: "p",
    title: "P",
    arrivals: { kind: "sweep", ratesPerSecond: [10, 20], secondsPerRate: 10 },
    workload: [{ endpoint: "chat" }],
    gates: ["errors == 0"],
    slo: { ttftMs: 300 },
  }),
  "p",
);
/** The rate of each trial and its begin, in seconds: none begins with a second. */
const trials = [
  [10, 0.5],
  [20, 10.8],
  [20, 21.1],
] as const;

/** The second trial was tried again. `isWrong`: of the place of a request in its trial. */
function judge(isWrong: (step: number, place: number) => boolean): LoadProfileResult {
  const records = trials.flatMap(([rate, fromSeconds], step) =>
    Array.from({ length: rate * 10 }, (_, place): LoadRecord => {
      const sentMs = 1000 * (fromSeconds + place / rate);
      const endMs = sentMs + 150;
      const isError = isWrong(step, place);
      return {
        ...givenUpRecord({ ...context, slo: profile.slo, step, intendedMs: sentMs, issuedMs: sentMs }, sentMs),
        status: isError ? 500 : 200,
        outcome: isError ? "server-error" : "ok",
        good: !isError,
        firstByteMs: sentMs + 100,
        firstTokenMs: isError ? null : sentMs + 100,
        answeredMs: endMs,
        endMs,
      };
    }),
  );
  const seconds = makeSeconds(33, 10, () => 2);
  const rates = trials.map(([rate]) => rate);
  const lengthsMs = trials.map(() => 10_000);
  return makeLoadResult(profile, records, { seconds, rates, lengthsMs, toMs: 31_200, endMs: 31_200, replacedSteps: [1] });
}

it("requests that share a second with a level that was tried again count", () => {
  const lastOfTheFirst = judge((step, place) => step === 0 && place >= 96);
  expect(lastOfTheFirst.outcomes).toEqual({ ok: 296, "server-error": 4 });
  expect(lastOfTheFirst.gates).toMatchObject([{ verdict: "fail", observed: 4 }]);
  const firstOfTheNext = judge((step, place) => step === 2 && place === 0);
  expect(firstOfTheNext.outcomes).toEqual({ ok: 299, "server-error": 1 });
  expect(firstOfTheNext.gates).toMatchObject([{ verdict: "fail", observed: 1 }]);
});

it("the level that was tried again counts for nothing, and its time is no part of the window", () => {
  const { outcomes, gates, rates } = judge((step) => step === 1);
  expect(outcomes).toEqual({ ok: 300 });
  expect(gates).toMatchObject([{ verdict: "pass" }]);
  // 300 requests in 20 seconds, and in what lies between the levels.
  expect(rates.offered).toBeGreaterThan(13);
  expect(rates.offered).toBeLessThanOrEqual(15);
});
