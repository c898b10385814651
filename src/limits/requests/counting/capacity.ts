import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../../verdict/check.ts";
import type { GroupView } from "../../history/group-view.ts";
import type { LimitOp } from "../../history/op.ts";
import { roundingOf } from "../../history/rounding.ts";
import { decisiveChance } from "./quick-rows.ts";

const head: CheckHead = checkHead("limits.capacity-above-limit");

/**
 * `remaining` either counts the request that shows it or does not. One that shows the whole limit does not count itself, one that
 * was admitted and shows zero does: an allowance from which both are read holds one request more than the limit. A reading of the
 * whole limit may also be late, just after a renewal that fell between decision and reading. So there must be several, each of a
 * request that came alone and was answered before anything refills, so fast that as many renewals within them are no chance. No
 * renewal that brings back a whole request comes more often than the average rate. O(n log n).
 */
export function checkCapacity(view: GroupView): Check {
  const { limit, tolerances } = view;
  const readings = view.admitted.filter((op) => op.requests.limit === limit && op.requests.remaining !== null);
  if (limit === null || readings.length < 2) return inconclusive(head, readings.length, "fewer than two readings of remaining");
  if (roundingOf(readings, limit) > 1) return inconclusive(head, readings.length, "what remains is rounded");
  const refillMs = tolerances.windowMs / limit;
  const isWhole = (op: LimitOp): boolean =>
    op.requests.remaining === limit &&
    op.headersMs - op.sentMs < refillMs / 2 &&
    // A request that is answered at the instant at which this one is sent does not overlap it.
    view.contenders.possible(op.sentMs + 1e-6, op.headersMs - 1e-6) === 1;
  const whole = readings.filter(isWhole);
  const empty = readings.find((op) => op.requests.remaining === 0);
  const none = `${readings.length} readings: not both the whole limit and zero were shown by admitted requests`;
  if (whole.length === 0 || empty === undefined) return passed(head, readings.length, none);
  const chance = whole.reduce((product, op) => product * Math.min(1, (op.headersMs - op.sentMs) / refillMs), 1);
  if (whole.length < 2 || chance > decisiveChance) {
    const message = `${whole.length} requests show the whole limit and #${empty.seq} shows zero: too few to rule out renewals in between`;
    return inconclusive(head, readings.length, message);
  }
  return accused(head, readings.length, "fail", {
    kind: "capacity",
    message: `${whole.length} admitted requests show ${limit} of ${limit} remaining (#${whole[0]!.seq} first), and #${empty.seq}, admitted as well, shows 0: read down from ${limit} to 0 these are ${limit + 1} admissions`,
    rule: "Either remaining counts the request that shows it, and is below the limit, or it does not, and is above zero.",
    spec: "Limits > Rate limits (x-ratelimit-limit-requests, x-ratelimit-remaining-requests)",
    ops: [...whole.slice(0, 12), empty],
    parameters: { limit },
    correct: `remaining ${limit - 1} after the first request, or at least 1 before the last`,
    expected: `at most ${limit} different readings of admitted requests`,
    observed: `${limit} and 0`,
  });
}
