import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../../verdict/check.ts";
import type { GroupView } from "../../history/group-view.ts";
import type { LimitOp } from "../../history/op.ts";
import { mostWithin } from "./most-within.ts";

const head: CheckHead = checkHead("limits.second-limit");

/** Lengths that second limits usually have, s. */
const usualSeconds = [1, 2, 5, 10, 15, 20, 30, 60, 300];

/** A limit beside the stated one, as far as its refusals say. */
export interface SecondLimit {
  readonly limit: number;
  readonly windowSeconds: number;
}

/**
 * The shortest usual window in which so many requests came before each refusal that showed something left, that one number of them
 * explains all of these refusals and no span holds more than twice as many admissions. null: none does.
 */
export function findSecondLimit(view: GroupView, refused: readonly LimitOp[]): SecondLimit | null {
  const { windowMs, fuzzMs } = view.tolerances;
  for (const seconds of usualSeconds) {
    const spanMs = seconds * 1000;
    if (spanMs >= windowMs) return null;
    const reachMs = spanMs + fuzzMs;
    const least = refused.reduce(
      (fewest, op) => Math.min(fewest, view.consumers.possible(op.sentMs - reachMs, op.headersMs)),
      Number.POSITIVE_INFINITY,
    );
    if (least < 1) continue;
    if (mostWithin(view.admitted, spanMs - fuzzMs) <= 2 * least) return { limit: least, windowSeconds: seconds };
  }
  return null;
}

/** null where nothing was refused while the stated limit had something left. O(n) beside the search for its window. */
export function checkSecondLimit(view: GroupView): Check | null {
  const refused = view.rejected.filter((op) => view.isOtherLimit(op));
  const first = refused[0];
  if (first === undefined) return null;
  const found = findSecondLimit(view, refused);
  const broken = findBrokenWait(view, refused);
  if (broken !== null && view.exclusive) {
    const [promise, late] = broken;
    return accused(head, refused.length, "fail", {
      kind: "retry-short",
      message: `#${promise.seq} was refused with ${promise.requests.remaining} remaining and said to wait ${promise.retry?.seconds} s; #${late.seq} waited ${((late.sentMs - promise.headersMs) / 1000).toFixed(2)} s, nobody else came, and it was refused with ${late.requests.remaining} remaining`,
      rule: "A request that waits as long as the refusal says is admitted, if nobody used the allowance meanwhile.",
      spec: "Errors (429) and Limits > Rate limits (retry-after)",
      ops: [promise, late],
      parameters: { waitSeconds: promise.retry?.seconds ?? null, fuzzMs: view.tolerances.fuzzMs },
      correct: `#${late.seq} is admitted, or #${promise.seq} names a longer wait`,
      expected: "admitted",
      observed: "429",
    });
  }
  const seen = `${refused.length} requests were refused although the stated limit of ${view.limit} had something left`;
  if (found === null)
    return inconclusive(
      head,
      refused.length,
      `${seen} (#${first.seq}: ${first.requests.remaining}), and no second limit explains them`,
    );
  return passed(
    head,
    refused.length,
    `${seen}: a second limit of about ${found.limit} requests in ${found.windowSeconds} s explains them, and its waits were kept as far as probed`,
  );
}

/** Waited as stated, nobody in between, refused by the second limit again. */
function findBrokenWait(view: GroupView, refused: readonly LimitOp[]): readonly [LimitOp, LimitOp] | null {
  const answered = [...refused].sort((a, b) => a.headersMs - b.headersMs);
  let next = 0;
  for (const late of refused) {
    while (next < answered.length && answered[next]!.headersMs < late.sentMs) next += 1;
    const promise = answered[next - 1];
    if (promise === undefined || promise.retry?.seconds == null) continue;
    if (late.sentMs < promise.headersMs + promise.retry.seconds * 1000 + view.tolerances.fuzzMs) continue;
    if (view.contenders.possible(promise.sentMs, late.headersMs) <= 2) return [promise, late];
  }
  return null;
}
