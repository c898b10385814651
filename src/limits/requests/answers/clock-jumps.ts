import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../../verdict/check.ts";
import type { GroupView } from "../../history/group-view.ts";
import type { LimitOp } from "../../history/op.ts";

const head: CheckHead = checkHead("limits.clocks-differ", 2);

/** `Date` is in whole seconds, and servers keep the text of it for up to one more. */
const dateStepMs = 2000;

/** How far the Date of later answers fell behind that of earlier ones, beyond what rounding explains; null: by nothing. */
export interface ClockJump {
  readonly backMs: number;
  readonly ahead: LimitOp;
  readonly behind: LimitOp;
  /** How often an answer fell behind one that came before it. */
  readonly times: number;
}

/** O(n log n): each answer against the furthest Date, less the instant of its answer, of those that ended before it was sent. */
export function findClockJump(view: GroupView): ClockJump | null {
  const { driftRatio, virtualLagMs } = view.tolerances;
  const dated = view.ops.filter((op) => op.dateMs !== null && !op.cached);
  const answered = dated.filter((op) => Number.isFinite(op.headersMs)).sort((a, b) => a.headersMs - b.headersMs);
  let next = 0;
  let ahead: LimitOp | null = null;
  let jump: ClockJump | null = null;
  let behind: LimitOp | null = null;
  let times = 0;
  const leadOf = (op: LimitOp): number => op.dateMs! - op.headersMs;
  for (const op of dated) {
    while (next < answered.length && answered[next]!.headersMs < op.sentMs) {
      const earlier = answered[next++]!;
      if (ahead === null || leadOf(earlier) > leadOf(ahead)) ahead = earlier;
    }
    if (ahead === null) continue;
    // The least that the clock ahead showed when this request was sent, less the most that this one can show.
    const driftMs = driftRatio * Math.max(0, op.sentMs - ahead.headersMs);
    const backMs = leadOf(ahead) + op.sentMs - op.dateMs! - dateStepMs - driftMs - virtualLagMs;
    if (backMs <= 0) continue;
    times += 1;
    behind ??= op;
    if (jump === null || backMs > jump.backMs) jump = { backMs, ahead, behind: op, times };
  }
  if (jump === null || behind === null) return null;
  // A clock that was set back once stays there; two clocks answer in turn where the one ahead is seen again.
  const { headersMs, sentMs, dateMs } = behind;
  const isAhead = (op: LimitOp): boolean => op.sentMs > headersMs && leadOf(op) > dateMs! + dateStepMs + virtualLagMs - sentMs;
  return answered.some(isAhead) ? { ...jump, times } : null;
}

/** `Date` of answers in turn: where it jumps back and forth, several clocks answer, which explains wrong resets and waits. */
export function checkClockJumps(view: GroupView): Check {
  const dated = view.ops.filter((op) => op.dateMs !== null && !op.cached);
  if (dated.length < 2) return inconclusive(head, dated.length, "fewer than two answers have a Date");
  const jump = findClockJump(view);
  if (jump === null) return passed(head, dated.length, `${dated.length} answers have the Date of one clock`);
  const { ahead, behind, times } = jump;
  const apartMs = ahead.dateMs! - ahead.headersMs - (behind.dateMs! - behind.sentMs);
  const apart = (apartMs / 1000).toFixed(0);
  return accused(head, dated.length, "advisory", {
    kind: "clock-jump",
    message: `Date goes back and forth by about ${apart} s from answer to answer (${times} times; #${ahead.seq} then #${behind.seq}): instances with different clocks answer in turn. Resets and waits that differ by as much have this cause`,
    rule: "Instances behind one address agree about the time.",
    spec: "Limits > Rate limits (x-ratelimit-reset-requests)",
    ops: [ahead, behind],
    parameters: { apartMs, times },
    correct: "clocks that differ by less than a second, as time synchronisation keeps them",
    expected: "one clock",
    observed: `clocks about ${apart} s apart`,
  });
}
