import { followFindings, type FollowedFinding } from "./follow-findings.ts";
import { followLatencies, type FollowedLatency } from "./follow-latencies.ts";
import type { FoundRuns } from "../../../command/find-runs.ts";
import type { KeptRun } from "../../../command/kept-run.ts";

export interface History extends Pick<FoundRuns, "skipped" | "left"> {
  readonly target: string;
  /** Of this target, oldest first. */
  readonly runs: readonly KeptRun[];
  /** Runs of other targets. */
  readonly others: number;
  readonly findings: readonly FollowedFinding[];
  readonly latencies: readonly FollowedLatency[];
}

/** The runs of one target: the one that is named, else that of the newest run. Null: there is no such run. */
export function createHistory({ runs, skipped, left }: FoundRuns, named: string | undefined): History | null {
  const target = named ?? runs.at(-1)?.result.target.name;
  const own = runs.filter(({ result }) => result.target.name === target);
  if (target === undefined || own.length === 0) return null;
  const results = own.map(({ result }) => result);
  return {
    target,
    runs: own,
    others: runs.length - own.length,
    skipped,
    left,
    findings: followFindings(results),
    latencies: followLatencies(results),
  };
}
