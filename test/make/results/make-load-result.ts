import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import { createRandom } from "../../../src/core/random.ts";
import type { LoadProfile } from "../../../src/load/profile/load-profile.ts";
import { readProfile } from "../../../src/load/plan/read-profile.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import type { ShareResult } from "../../../src/load/ledger/share-result.ts";
import { summarizeLoad } from "../../../src/load/judge/summarize-load.ts";
import type { SummaryInput } from "../../../src/load/judge/summary-input.ts";

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

/** The measurement of one worker over ten seconds without a warm-up. */
export function makeShare(records: readonly LoadRecord[]): ShareResult {
  const sent = records.filter(({ outcome }) => outcome !== "not-sent");
  return {
    records,
    overflow: null,
    areaMs: sent.reduce((sum, { endMs, issuedMs }) => sum + endMs - issuedMs, 0),
    health: [],
    planned: records.length,
    retried: 0,
    races: { count: 0, outOf: records.length },
    startMs: 0,
    fromMs: 0,
    toMs: 10_000,
    endMs: 10_000,
    rates: [],
    stopReason: null,
  };
}

/** The measurement of one worker over the whole profile, in time and without a warm-up, with the changes of the test. */
export function makeLoadResult(
  profile: LoadProfile,
  records: readonly LoadRecord[],
  changes: Partial<SummaryInput> = {},
): LoadProfileResult {
  const endMs = 1000 * profile.durationSeconds;
  return summarizeLoad({
    ...makeShare(records),
    profile,
    workload: "100 % chat",
    seconds: [],
    areaMs: 0,
    toMs: endMs,
    endMs,
    random: createRandom(1),
    limits: null,
    calibration: null,
    ...changes,
  });
}
