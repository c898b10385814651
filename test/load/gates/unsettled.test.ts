import { expect, it } from "vitest";
import { createRandom } from "../../../src/core/random.ts";
import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import type { LoadProfile } from "../../../src/load/profile/load-profile.ts";
import { measureExchange } from "../../../src/load/samples/measure-exchange.ts";
import { answered, context } from "../../make/load/exchange-fixture.ts";
import { makeLoadResult, makeProfile } from "../../make/results/make-load-result.ts";

const one = measureExchange(answered(200, { usage: {} }), context).record;

/** 1,200 answers, the last of which take so much longer than the first. */
function grows(byMs: number, gates: readonly string[], arrivals?: LoadProfile["arrivals"]): LoadProfileResult {
  const random = createRandom(5);
  const records = Array.from({ length: 1200 }, (_, index) => {
    const at = 50 * index;
    const endMs = at + 100 + (byMs * index) / 1200 + 400 * random.next();
    return { ...one, intendedMs: at, issuedMs: at, sentMs: at, headersMs: endMs, firstByteMs: endMs, answeredMs: endMs, endMs };
  });
  const profile = makeProfile(20, 60, gates);
  return makeLoadResult(arrivals === undefined ? profile : { ...profile, arrivals }, records);
}

it("a target that never settled passes no bound that it would miss in a profile of twice the length", () => {
  const gates = ["user_latency.p50 < 420ms", "user_latency.p50 < 2s", "error_rate < 1%"];
  const growing = grows(60, gates).gates;
  expect(growing.map(({ verdict }) => verdict)).toEqual(["inconclusive", "pass", "pass"]);
  expect(growing[0]).toMatchObject({ doubt: "unsettled", reason: expect.stringContaining("the target never settled") });
  expect(grows(0, gates).gates.map(({ verdict }) => verdict)).toEqual(["pass", "pass", "pass"]);
});

it("a closed loop settles like a schedule, but for one that begins over half of its time", () => {
  const gates = ["user_latency.p50 < 420ms"];
  const verdictOf = (arrivals: LoadProfile["arrivals"]): unknown => {
    const [gate] = grows(60, gates, arrivals).gates;
    return [gate?.verdict, gate?.doubt];
  };
  const closed = { kind: "closed", concurrency: 10, thinkMs: 0 } as const;
  expect(verdictOf(closed)).toEqual(["inconclusive", "unsettled"]);
  expect(verdictOf({ ...closed, rampSeconds: 30 })).not.toContain("unsettled");
});
