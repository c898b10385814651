import type { LimitFigures } from "../../core/limit-figures.ts";
import type { LoadLimitCheck } from "../../core/result/gate-result.ts";
import type { InstrumentAccuracy } from "../../core/result/generator-health.ts";
import type { LimitAccount } from "../../core/result/limits-result.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import type { ProbeResult } from "../../core/result/probe-result.ts";
import { createRandom } from "../../core/random.ts";
import type { Gate } from "../profile/gate.ts";
import { judgeCacheAudit } from "./judge-cache-audit.ts";
import { judgeAgents } from "./judge-agents.ts";
import { fenceAutocannon } from "../generator/cross-check.ts";
import { summarizeLoad } from "./summarize-load.ts";
import { compareUsage, countLeft, sumTokens } from "./usage-check.ts";
import { nearestRank } from "../statistics/nearest-rank.ts";
import type { ShareResult } from "../ledger/share-result.ts";
import { mergeShares } from "../ledger/merge-shares.ts";
import type { MeasuredLine, ProfileLine } from "../ledger/ledger-line.ts";

export interface MeasuredProfile extends InstrumentAccuracy {
  readonly header: ProfileLine;
  /** Those of the header, read. */
  readonly gates: readonly Gate[];
  /** Of every worker, in their order. */
  readonly shares: readonly ShareResult[];
  readonly end: MeasuredLine;
  /** The figures of judges of limits; null: none watched. */
  readonly watched: WatchedFigures | null;
}

export interface WatchedFigures {
  readonly figures: LimitFigures;
  readonly checks: readonly LoadLimitCheck[];
  /** Absent: the profile has no probe. */
  readonly probe?: ProbeResult;
  /** Of keys and endpoints for which a cache answered. Absent: of none. */
  readonly account?: readonly LimitAccount[];
}

/** The result of a profile from what its ledger holds. Pure. */
export function judgeProfile({ header, gates, shares, end, watched, ...accuracy }: MeasuredProfile): LoadProfileResult {
  const { workload, seed, virtualTime, loops } = header;
  const profile = { ...header.profile, gates };
  const merged = mergeShares(shares);
  const random = createRandom(seed).fork(profile.id).fork("samples");
  const limits = watched?.figures ?? null;
  const cacheAudit = end.cacheAudit === undefined ? null : judgeCacheAudit(end.cacheAudit);
  const summary = summarizeLoad({ ...merged, profile, cacheAudit, workload, random, limits, virtualTime, ...accuracy });
  const { reportedTokens, crossCheck } = end;
  const { agents, reasons } = judgeAgents(end.agents ?? [], shares);
  return {
    ...summary,
    usageCheck: reportedTokens === undefined ? null : compareUsage(sumTokens(shares), reportedTokens, countLeft(shares)),
    health: {
      ...summary.health,
      ...(loops === null ? {} : { loops }),
      ...(agents.length === 0 ? {} : { agents }),
    },
    ...(reasons.length === 0 ? {} : { validity: { valid: false, reasons: [...reasons, ...summary.validity.reasons] } }),
    ...describeNetwork(end.roundTripsMs ?? []),
    ...describeCrossCheck(crossCheck, summary.rates.ok),
    ...(watched === null ? {} : { limitChecks: watched.checks }),
    ...(watched?.account === undefined ? {} : { limitAccount: watched.account }),
    ...(watched?.probe === undefined ? {} : { probe: watched.probe }),
  };
}

function describeNetwork(tripsMs: readonly number[]): Pick<LoadProfileResult, "network"> {
  const medianMs = nearestRank(tripsMs, 50);
  if (medianMs === null) return {};
  return { network: { source: "tcp-connect", connections: tripsMs.length, minMs: Math.min(...tripsMs), medianMs } };
}

function describeCrossCheck(
  run: MeasuredLine["crossCheck"],
  ourRequestsPerSecond: number,
): Pick<LoadProfileResult, "crossCheck" | "crossCheckSkipped"> {
  if (run === undefined) return {};
  if ("skipped" in run) return { crossCheckSkipped: run.skipped };
  return { crossCheck: fenceAutocannon(run.figures, run.connections, ourRequestsPerSecond, run.amount) };
}
