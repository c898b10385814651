import { accused, checkHead, inconclusive, passed, type Check } from "../verdict/check.ts";
import { answeredFromMs, type LimitOp } from "../history/op.ts";
import { type BoundarySpan, haveCommonAlignment } from "./burst-excess.ts";
import type { BurstView } from "./burst-view.ts";
import { leastHeldMs } from "./held-ms.ts";
import { heldQueueOf } from "./held-queue.ts";

/** Everything that was served from the end of a cooldown on until the next one can have been over. */
interface Release {
  readonly ops: readonly LimitOp[];
  /** The most that an allowance which refills may have granted until it was used up. */
  readonly refill: number;
  /** A minute of the clock that began then grants the allowance twice. null: not even that explains them. */
  readonly span: BoundarySpan | null;
}

/**
 * Whether a queue lets out more than the allowance when the cooldown is over, with what is sent then. None where nothing came out that
 * could have been too much.
 */
export function checkReleasedAtOnce(view: BurstView): readonly Check[] {
  const own = checkHead("queue.released-at-once");
  const releases = view.rounds.flatMap((round) => {
    const queue = heldQueueOf(round, view);
    return queue === null ? [] : [readRelease([...queue.members, ...queue.later], queue.earliestMs, view)];
  });
  const considered = releases.reduce((sum, { ops }) => sum + ops.length, 0);
  if (considered < view.burst) return [];
  const over = releases.filter(({ ops, refill }) => ops.length > view.burst + refill);
  const [first] = over.toSorted((one, other) => other.ops.length - one.ops.length);
  if (first === undefined)
    return [passed(own, considered, `${considered} requests after cooldowns: no more than the allowance was served at once`)];
  const isExcused = haveCommonAlignment(
    over.map(({ span }) => (span === null ? [] : [span])),
    view,
  );
  if (isExcused) {
    const message = `${first.ops.length} requests were served at the end of a cooldown: a minute of the clock that began then would explain it`;
    return [inconclusive(own, considered, message)];
  }
  const held = first.ops.filter((op) => leastHeldMs(op) > view.cooldownMs / 4).length;
  return [
    accused(own, considered, "advisory", {
      message: `${first.ops.length} requests (#${first.ops[0]!.seq} to #${first.ops.at(-1)!.seq}), ${held} of them let out of the queue, were served at the end of one cooldown; the allowance is ${view.burst} a minute`,
      rule: "A request that is let out of the queue uses the allowance of its minute.",
      spec: "Limits > Burst and cooldown",
      ops: first.ops,
      parameters: { burst: view.burst, refill: first.refill, releases: over.length },
      correct: `at most ${view.burst + first.refill} served, and the others when the next cooldown is over`,
      expected: `at most ${view.burst + first.refill} served`,
      observed: `${first.ops.length} served`,
    }),
  ];
}

function readRelease(ops: readonly LimitOp[], earliestMs: number, view: BurstView): Release {
  const { burst, cooldownMs, tolerances } = view;
  const untilMs = earliestMs + cooldownMs * (1 - tolerances.driftRatio) - tolerances.fuzzMs;
  const served = ops
    // Requests that came out before the end of the cooldown are over-admission, and no release.
    .filter((op) => op.outcome === "admitted" && answeredFromMs(op) >= earliestMs && op.headersMs < untilMs)
    .toSorted((one, other) => one.headersMs - other.headersMs);
  const usedMs = Math.max(0, (served[burst - 1]?.headersMs ?? earliestMs) - earliestMs);
  const refill = Math.floor((burst / tolerances.windowMs) * usedMs * (1 + tolerances.rateRatio));
  const last = served.at(-1);
  const explains = last !== undefined && served.length <= 2 * burst + refill;
  return { ops: served, refill, span: explains ? { fromMs: earliestMs, toMs: last.headersMs } : null };
}
