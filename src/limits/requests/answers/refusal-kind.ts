import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../../verdict/check.ts";
import type { GroupView } from "../../history/group-view.ts";
import { isInPhase, type LimitOp } from "../../history/op.ts";
import { createRankedCounts } from "../../history/ranked-counts.ts";
import { ascending, countBelow } from "../../../core/sorted.ts";
import { countIntervals } from "../../history/count-intervals.ts";

const head: CheckHead = checkHead("limits.refusal-of-another-kind");

/** Fewer answers of another kind may be chance. */
const fewest = 3;

/** Whether it is a status of a service that will not serve now; other errors are about the request. */
function isRefusal({ status }: LimitOp): boolean {
  return status !== null && (status >= 500 || status === 402 || status === 403 || status === 420);
}

/**
 * For each request how many admitted ones were sent at most a window before it and answered before it was sent. `driven`: by send
 * instant. O(n log n).
 */
function countsEndedWithin(driven: readonly LimitOp[], windowMs: number): ReadonlyMap<LimitOp, number> {
  const ended = driven.filter(({ outcome }) => outcome === "admitted").sort((a, b) => a.headersMs - b.headersMs);
  const starts = ascending(ended.map(({ sentMs }) => sentMs));
  const counted = createRankedCounts(ended.length);
  let next = 0;
  return new Map(
    driven.map((op) => {
      for (; next < ended.length && ended[next]!.headersMs < op.sentMs; next += 1)
        counted.add(countBelow(starts, ended[next]!.sentMs));
      return [op, next - counted.upTo(countBelow(starts, op.sentMs - windowMs) - 1)];
    }),
  );
}

/**
 * Accounts for every request that the exam sent to use the limit up: admitted, refused with 429, answered otherwise, not answered.
 * Answers of another kind that begin with the limit, and make up most of what comes then, are refusals in a wrong form.
 */
export function checkRefusalKind(view: GroupView): Check {
  const { limit, tolerances } = view;
  // A refusal that comes before the end of a body may be lost with its connection, and a body that comes slowly may be refused as such.
  const isExcused = (op: LimitOp): boolean =>
    isInPhase(op, "requests", "B-uploads") && op.outcome !== "admitted" && op.outcome !== "rejected";
  const driven = view.ops.filter((op) => op.policy === "requests" && !isExcused(op));
  const of = (outcome: (op: LimitOp) => boolean): readonly LimitOp[] => driven.filter(outcome);
  const other = of((op) => op.status !== null && op.outcome !== "admitted" && op.outcome !== "rejected");
  const silent = of((op) => op.status === null);
  const sum = `${driven.length} requests: ${of((op) => op.outcome === "admitted").length} admitted, ${of((op) => op.outcome === "rejected").length} refused with 429, ${other.length} answered otherwise, ${silent.length} not answered`;
  if (driven.length === 0) return inconclusive(head, 0, "no request was sent to use the limit up");
  if (limit === null) return inconclusive(head, driven.length, `no readable limit; ${sum}`);
  const admitted = countIntervals(of((op) => op.outcome === "admitted"));
  const endedWithin = countsEndedWithin(driven, tolerances.windowMs);
  const isBeyond = (op: LimitOp): boolean => endedWithin.get(op)! >= limit && (op.requests.remaining ?? 0) === 0;
  // Of those under way together the limit may have been reached in between.
  const mayBeBeyond = (op: LimitOp): boolean =>
    admitted.possible(op.sentMs - tolerances.windowMs, op.headersMs) >= limit && (op.requests.remaining ?? 0) === 0;
  const spent = driven.filter(isBeyond);
  const wrong = other.filter((op) => isRefusal(op) && isBeyond(op));
  const before = driven.length - spent.length;
  const below = other.filter((op) => !isRefusal(op) || !mayBeBeyond(op));
  const first = wrong[0];
  // If it is as frequent below the limit, it is an error of the service and not its way to refuse.
  const atTheLimit = wrong.length >= fewest && wrong.length * 2 > spent.length - silent.length && below.length <= before / 10;
  if (first !== undefined && atTheLimit) {
    return accused(head, driven.length, "fail", {
      kind: "refusal-kind",
      message: `${wrong.length} of ${spent.length} requests beyond the limit of ${limit} were answered ${first.status} instead of 429 (${sum})`,
      rule: "A request beyond the limit is answered 429.",
      spec: "Errors (429) and Limits > Rate limits",
      ops: wrong.slice(0, 12),
      parameters: { limit, windowMs: tolerances.windowMs },
      correct: "429 with retry-after",
      expected: "429",
      observed: String(first.status),
    });
  }
  if (other.length > 0 || silent.length * 10 > driven.length) {
    const statuses = [...new Set(other.map((op) => op.status))].join(", ");
    return inconclusive(head, driven.length, `${sum}${statuses === "" ? "" : ` (${statuses})`}: not at the limit alone`);
  }
  return passed(head, driven.length, sum);
}
