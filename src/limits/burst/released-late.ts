import { accused, checkHead, inconclusive, passed, withhold, type Check } from "../verdict/check.ts";
import { answeredFromMs, type LimitOp } from "../history/op.ts";
import type { BurstView } from "./burst-view.ts";
import { type HeldQueue, heldQueueOf, releaseMs } from "./held-queue.ts";
import { heldMs, leastHeldMs } from "./held-ms.ts";

/** A queue may let out one by one, as an allowance refills: so much slower than that at most. */
const slowerBy = 1.25;

/** A request that still waited although the cooldown was over and an allowance had room for it. */
interface Late {
  readonly op: LimitOp;
  /** By then the cooldown was over, and the queue had time to look. */
  readonly openedMs: number;
  /** So many may have used the allowance before. */
  readonly served: number;
  /** So many can have been let out by then, one by one. */
  readonly room: number;
}

/**
 * Whether a queue lets out what fits into the allowance when the cooldown is over. One place of the allowance is left to a request that
 * nobody saw; what was never answered counts as let out.
 */
export function checkReleasedLate(view: BurstView): readonly Check[] {
  const own = checkHead("queue.released-late", 4);
  let [considered, calm] = [0, 0];
  let open: Check | null = null;
  for (const round of view.rounds) {
    const queue = heldQueueOf(round, view);
    if (queue === null) continue;
    const answered = queue.members.filter(({ status }) => status !== null).length;
    considered += answered;
    const late = findLate(queue, view);
    if (late === null) calm += answered;
    if (late === null) continue;
    const check = judgeLate(late, considered, view);
    if (check.verdict === "fail") return [check];
    if (open?.withheld !== true) open = check;
  }
  if (considered === 0) return [];
  // The rounds are held once more after a stall: those into which none fell decide.
  if (open !== null && calm < own.needed) return [{ ...open, considered }];
  // Few are held by a service that was asked one by one: they show too little of a queue to be counted as its verdict.
  if (considered < own.needed) return [];
  return [passed(own, considered, `${considered} queued requests: none waited longer than cooldown and allowance explain`)];
}

/** A wait shows nothing of the queue where the whole service stood still when it was due, and remains an open accusation where nobody else asked then. */
function judgeLate(late: Late, considered: number, view: BurstView): Check {
  const { op, openedMs } = late;
  const waited = `#${op.seq} waited ${(heldMs(op) / 1000).toFixed(1)} s`;
  if (view.isStall(op, openedMs))
    return inconclusive(
      checkHead("queue.released-late", 4),
      considered,
      `${waited}, and so did the whole service or the instrument`,
    );
  const accusation = accuseLate(late, considered, view);
  if (view.isWatched(openedMs, op.headersMs)) return accusation;
  const lateSeconds = ((op.headersMs - openedMs) / 1000).toFixed(1);
  return withhold(
    accusation,
    `${waited}, and nobody else asked in the last ${lateSeconds} s of it: whether the whole service stood still is not known`,
  );
}

function findLate(queue: HeldQueue, view: BurstView): Late | null {
  const { burst, cooldownMs, tolerances } = view;
  const slackMs = tolerances.granularityMs + tolerances.virtualLagMs + tolerances.fuzzMs + releaseMs;
  const longestMs = Math.max(cooldownMs, tolerances.windowMs) * 1.05 + slackMs;
  const openedMs = Math.min(
    lastAttemptMs(queue, view, longestMs) + longestMs,
    Math.max(queue.firstMs, queue.heldFromMs + longestMs - slackMs) + slackMs,
  );
  const stepMs = (tolerances.windowMs / burst) * slowerBy;
  const answered = queue.members.filter(({ status }) => status !== null);
  for (const op of answered.toSorted((one, other) => one.headersMs - other.headersMs)) {
    const atMs = answeredFromMs(op);
    // Each may also have waited for a whole cooldown of its own.
    const due = queue.members.filter(({ sentMs }) => sentMs + longestMs < atMs);
    const room = Math.min(burst - 1, due.length, Math.floor((atMs - openedMs) / stepMs));
    if (room < 1 || !due.includes(op)) continue;
    const before = answered.filter((other) => other !== op && answeredFromMs(other) <= atMs).length;
    const unanswered = queue.members.length - answered.length;
    const served = before + unanswered + queue.later.filter(({ sentMs }) => sentMs < atMs).length;
    if (served < room) return { op, openedMs, served, room };
  }
  return null;
}

/** The last attempt that may have begun the cooldown anew before it was over. */
function lastAttemptMs({ heldFromMs, firstMs }: HeldQueue, view: BurstView, longestMs: number): number {
  const attempts = view.ops.map(({ sentMs }) => sentMs).toSorted((a, b) => a - b);
  let lastMs = heldFromMs;
  for (const sentMs of attempts) if (sentMs > lastMs && sentMs < Math.min(firstMs, lastMs + longestMs)) lastMs = sentMs;
  return lastMs;
}

function accuseLate({ op, openedMs, served, room }: Late, considered: number, view: BurstView): Check {
  const answered = (leastHeldMs(op) / 1000).toFixed(1);
  const overSeconds = ((answeredFromMs(op) - openedMs) / 1000).toFixed(1);
  return accused(checkHead("queue.released-late", 4), considered, "fail", {
    message: `#${op.seq} was held back for ${answered} s, until ${overSeconds} s after the cooldown of ${view.cooldownMs / 1000} s was over at the latest. At most ${served} other ${served === 1 ? "request" : "requests"} can have been served since then, and the allowance of ${view.burst} a minute has room for ${room} in that time even where it fills one by one. A correct service answers what it queued when the cooldown is over, as far as the allowance reaches`,
    rule: "A request that is queued during the cooldown is answered after it.",
    spec: "Limits > Burst and cooldown",
    ops: [op],
    parameters: { burst: view.burst, cooldownMs: view.cooldownMs, openedMs, served, room },
    lawfulAlternative: `#${op.seq} is answered when the cooldown is over`,
    expected: "answered when the cooldown is over",
    observed: `answered after ${answered} s`,
  });
}
