import { isInPhase } from "../history/op.ts";
import type { LimitCheckId } from "../../core/result/checks/limit-check.ts";
import { burstSettings } from "../history/burst-settings.ts";
import { checkOccurrences } from "../verdict/check-occurrences.ts";
import type { Check } from "../verdict/check.ts";
import { isUnreachableLimit } from "./counting/second-limit.ts";
import type { ExamRecord, ProbeJudgement } from "../probe/limit-probe.ts";
import { viewGroup, type GroupView } from "../history/group-view.ts";
import { judgeRequestPolicy } from "./request-policy.ts";
import { observedRows, planRows, refusalRows } from "./request-rows.ts";

/** Checks that decide no row of the catalogue by themselves: rows of their own do, or the specification says nothing of it. */
const withoutRows: ReadonlySet<LimitCheckId> = new Set([
  "limits.algorithm",
  "limits.limit-differs-from-plan",
  "limits.clocks-differ",
]);

/** Judges the request limit of every key and endpoint of which the record holds enough. */
export function judgeRequests({ history, changes, manifest, tolerances, strict }: ExamRecord): ProbeJudgement {
  const options = { manifest, history, tolerances, strict, burst: burstSettings(changes, manifest) };
  const views = [...history.groups].map(([id, members]) => viewGroup(id, members, options));
  const judged = views.filter(isWorthJudging);
  const policies = judged.map((view) => judgeRequestPolicy(view, twinsOf(view, views), manifest));
  const decidesRows = (check: Check): boolean => !withoutRows.has(check.id) && !isUnreachableLimit(check);
  return {
    policies,
    occurrences: [
      ...policies.flatMap((policy) => checkOccurrences(policy.checks.filter(decidesRows))),
      ...policies.flatMap((policy, index) => observedRows(judged[index]!, policy.tier, policy.identification)),
      ...judged.flatMap(refusalRows),
      ...planRows(views, manifest),
    ],
  };
}

/**
 * A group that a request schedule drained, or one that saw enough traffic to say something about. Requests that were sent aside
 * are judged with the former.
 */
function isWorthJudging(view: GroupView): boolean {
  const foreign = view.ops.some((op) => op.policy !== "" && op.policy !== "requests");
  const aside = view.ops.some((op) => isInPhase(op, "requests", "R"));
  const own = view.ops.filter((op) => !isInPhase(op, "requests", "Q"));
  return view.ops.some((op) => isInPhase(op, "requests", "B")) || (!foreign && !aside && own.length >= 40);
}

/** The pairs that a schedule visits to see whether they notice the drain of another. */
function twinsOf(view: GroupView, views: readonly GroupView[]): readonly GroupView[] {
  const drainedHere = view.ops.some((op) => isInPhase(op, "requests", "D"));
  if (!drainedHere) return [];
  const visited = (other: GroupView): boolean => other.ops.some((op) => isInPhase(op, "requests", "F"));
  return views.filter(
    (other) => other !== view && visited(other) && (other.key === view.key) !== (other.endpoint === view.endpoint),
  );
}
