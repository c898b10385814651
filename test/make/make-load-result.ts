import type { LoadProfileResult } from "../../src/core/result/load-result.ts";
import { createRandom } from "../../src/core/random.ts";
import type { LoadProfile } from "../../src/load/profile/load-profile.ts";
import { readProfile } from "../../src/load/profile/read-profile.ts";
import type { LoadRecord } from "../../src/load/samples/load-record.ts";
import { summarizeLoad, type SummaryInput } from "../../src/load/samples/summarize-load.ts";

/** Chat at a constant rate, with these gates. */
export function makeProfile(perSecond: number, seconds: number, gates: readonly string[]): LoadProfile {
  const profile = {
    id: "p",
    title: "P",
    arrivals: { kind: "constant", ratePerSecond: perSecond },
    durationSeconds: seconds,
    workload: [{ endpoint: "chat" }],
    gates,
  };
  return readProfile(JSON.stringify(profile), "p");
}

/** What one loop measured of the whole profile, in time and without a warm-up, less what the test changes. */
export function makeLoadResult(
  profile: LoadProfile,
  records: readonly LoadRecord[],
  changes: Partial<SummaryInput> = {},
): LoadProfileResult {
  return summarizeLoad({
    profile,
    workload: "100 % chat",
    records,
    overflow: null,
    seconds: [],
    areaMs: 0,
    health: [],
    planned: records.length,
    retried: 0,
    races: { count: 0, outOf: records.length },
    startMs: 0,
    fromMs: 0,
    toMs: 1000 * profile.durationSeconds,
    endMs: 1000 * profile.durationSeconds,
    rates: [],
    stopReason: null,
    random: createRandom(1),
    limits: null,
    ...changes,
  });
}
