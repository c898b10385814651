import type { LoadProfileResult } from "../../core/result/load-result.ts";
import { createRandom } from "../../core/random.ts";
import type { GateSource } from "../gates/judge-gate.ts";
import { fenceAutocannon } from "../generator/cross-check.ts";
import { summarizeLoad } from "../samples/summarize-load.ts";
import { checkUsage } from "../samples/usage-books.ts";
import type { ShareResult } from "../workers/share-result.ts";
import { mergeShares } from "../workers/merge-shares.ts";
import type { MeasuredLine, ProfileLine } from "./ledger-line.ts";

export interface MeasuredProfile {
  readonly header: ProfileLine;
  /** Of every loop, in their order. */
  readonly shares: readonly ShareResult[];
  readonly end: MeasuredLine;
  readonly limits: GateSource["limits"];
}

/** The result of a profile from what its ledger holds. Pure, but for `limits`. */
export function judgeProfile({ header, shares, end, limits }: MeasuredProfile): LoadProfileResult {
  const { profile, workload, seed, virtualTime, loops } = header;
  const merged = mergeShares(shares);
  const random = createRandom(seed).fork(profile.id).fork("samples");
  const summary = summarizeLoad({ ...merged, profile, workload, random, limits, virtualTime });
  const { reportedTokens, crossCheck } = end;
  return {
    ...summary,
    usageCheck: reportedTokens === undefined ? null : checkUsage(merged.records, reportedTokens),
    ...(loops === null ? {} : { health: { ...summary.health, loops } }),
    ...describeCrossCheck(crossCheck, summary.rates.ok),
  };
}

function describeCrossCheck(
  run: MeasuredLine["crossCheck"],
  ourRequestsPerSecond: number,
): Pick<LoadProfileResult, "crossCheck" | "crossCheckSkipped"> {
  if (run === undefined) return {};
  if ("skipped" in run) return { crossCheckSkipped: run.skipped };
  return { crossCheck: fenceAutocannon(run.figures, run.connections, ourRequestsPerSecond, run.amount) };
}
