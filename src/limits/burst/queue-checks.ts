import { accused, inconclusive, passed, type Check, checkHead } from "../verdict/check.ts";
import { answeredFromMs, type LimitOp } from "../history/op.ts";
import type { BurstRound } from "./burst-rounds.ts";
import type { BurstView } from "./burst-view.ts";
import { heldMs, leastHeldMs } from "./held-ms.ts";
import { checkReleasedAtOnce } from "./released-at-once.ts";
import { checkReleasedLate } from "./released-late.ts";

const spec = "Limits > Burst and cooldown";

/** The outcomes of the requests that were sent in cooldowns. */
interface CooldownOps {
  readonly queued: readonly LimitOp[];
  /** Those, and others that the instrument, or a stall of the whole service, may have made wait. */
  readonly maybeQueued: readonly LimitOp[];
  readonly refused: readonly LimitOp[];
  /** Never answered, although they were waited for until the cooldown was over. */
  readonly lost: readonly LimitOp[];
  /** No longer waited for while the cooldown may have held them. */
  readonly givenUp: readonly LimitOp[];
}

export function checkQueue(view: BurstView): readonly Check[] {
  const ops = sortCooldownOps(view);
  return [
    checkAnswered(view, ops),
    ...checkReleasedLate(view),
    ...checkReleasedAtOnce(view),
    checkPreference(ops),
    ...checkOrder(view, ops),
  ];
}

function sortCooldownOps(view: BurstView): CooldownOps {
  const duringOf = (round: BurstRound): readonly LimitOp[] =>
    round.ops.filter((op) => round.latestMs !== null && op.sentMs < round.latestMs + view.cooldownMs);
  const during = view.rounds.flatMap(duringOf);
  const noticeableMs = Math.max(view.cooldownMs * 0.05, 1000);
  const maybeQueued = during.filter((op) => op.outcome === "admitted" && heldMs(op) > noticeableMs);
  const queued = maybeQueued.filter((op) => leastHeldMs(op) > noticeableMs && !view.isStall(op));
  const unanswered = during.filter((op) => op.status === null);
  const isGivenUp = (op: LimitOp): boolean => {
    const rounds = view.rounds.filter(({ ops }) => ops.includes(op));
    // The first answer to a held request shows when the queue was let out; without any, the cooldown has to be over by far.
    const released = queued.filter((other) => rounds.some(({ ops }) => ops.includes(other))).map(({ headersMs }) => headersMs);
    const overMs = rounds.map(({ latestMs }) => (latestMs ?? 0) + view.cooldownMs + underWayMs);
    // If as many were let out as fit into the allowance, the others lawfully wait for the next one; one place may be used by others.
    const waitedMs = view.waitedUntilMs(op);
    const places = Math.max(1, view.burst - 1);
    const isFull = released.filter((atMs) => atMs <= waitedMs).length >= places;
    const beside = [...queued, ...unanswered].filter((other) => other.sentMs < waitedMs && other.headersMs > op.sentMs).length;
    const furtherMs = isFull ? (Math.ceil(beside / places) - 1) * (view.cooldownMs * 1.05 + underWayMs) : 0;
    return waitedMs < (released.length > 0 ? Math.min(...released) : Math.max(...overMs)) + furtherMs;
  };
  return {
    queued,
    maybeQueued,
    refused: during.filter((op) => op.outcome === "rejected"),
    lost: unanswered.filter((op) => !isGivenUp(op)),
    givenUp: unanswered.filter(isGivenUp),
  };
}

function checkAnswered(view: BurstView, { queued, lost, givenUp }: CooldownOps): Check {
  const own = checkHead("queue.request-lost");
  const held = queued.length + lost.length + givenUp.length;
  const lossy = view.rounds.filter(({ ops }) => ops.some((op) => lost.includes(op)));
  const beside = [...queued, ...lost, ...givenUp].filter((op) => lossy.some(({ ops }) => ops.includes(op))).length;
  // A network may lose an answer as well, but hardly this many, and none but held ones.
  const heldFromMs = findHeldForGood(view, lost);
  const lostElsewhere = [...view.ops, ...view.otherKeyOps].some(
    (op) =>
      op.status === null && !lost.includes(op) && !givenUp.includes(op) && !(op.key === view.key && op.sentMs >= heldFromMs),
  );
  const isProven = lost.length >= 4 && lost.length >= 0.4 * beside && !lostElsewhere;
  if (lost[0] && isProven)
    return accused(own, queued.length, "fail", {
      kind: "queue-lost",
      message: `${lost.length} of ${beside} requests that were held in the cooldown were never answered (#${lost[0].seq} first), ${Number.isFinite(heldFromMs) ? "nor was any that this key sent later, while the service answered others" : "all other requests of the exam were"}. A correct service answers what it queued when the cooldown of ${view.cooldownMs / 1000} s is over`,
      rule: "A request that is queued during the cooldown is answered after it.",
      spec,
      ops: lost,
      parameters: { queued: queued.length, cooldownMs: view.cooldownMs },
      lawfulAlternative: "an answer when the cooldown is over",
      expected: "answered",
      observed: "no answer",
    });
  if (lost.length > 0)
    return inconclusive(own, held, `${lost.length} of ${held} requests were not answered; the network may have lost them`);
  if (givenUp.length > 0) {
    const seconds = view.cooldownMs / 1000;
    return inconclusive(
      own,
      held,
      `${givenUp.length} of ${held} requests were not waited for until the cooldown of ${seconds} s was over`,
    );
  }
  return queued.length > 0
    ? passed(own, queued.length, `${queued.length} queued requests were answered`)
    : inconclusive(own, 0, "no request was queued");
}

/** A network that loses what comes later still delivers within this, ms. */
const underWayMs = 3000;

/**
 * From when on the key was answered nothing at all although the service still answers when all of that was sent: it is held when the exam
 * ends, which no network explains. Infinity: that never was so.
 */
function findHeldForGood({ ops, lastAnsweredMs }: BurstView, lost: readonly LimitOp[]): number {
  const fromMs = Math.min(Number.POSITIVE_INFINITY, ...lost.map(({ sentMs }) => sentMs));
  const isAnswered = ops.some(({ headersMs }) => Number.isFinite(headersMs) && headersMs > fromMs + underWayMs);
  const last = Math.max(...ops.map(({ sentMs }) => sentMs));
  return !isAnswered && lastAnsweredMs > last ? fromMs : Number.POSITIVE_INFINITY;
}

/** Whether all are queued or all refused. */
function checkPreference({ queued, maybeQueued, refused }: CooldownOps): Check {
  const own = checkHead("queue.mixed-with-refusals");
  const considered = queued.length + refused.length;
  const [first] = queued;
  if (!first || !refused[0]) return passed(own, considered, `${queued.length} queued, ${refused.length} refused`);
  if (isFullQueue(queued, maybeQueued, refused))
    return passed(own, considered, `${queued.length} queued, ${refused.length} refused while a full queue explains it`);
  return accused(own, considered, "advisory", {
    kind: "queue-mixed",
    message: `in the cooldowns of one key ${queued.length} ${queued.length === 1 ? "request was" : "requests were"} queued (#${first.seq} first, for ${(leastHeldMs(first) / 1000).toFixed(1)} s) and ${refused.length} refused (#${refused[0].seq} first). Which of the two is a preference of the key; only a queue that is full refuses what it would queue`,
    rule: "What happens to requests during a cooldown is a preference of the key, hence the same for all.",
    spec,
    ops: [first, refused[0]],
    parameters: { queued: queued.length, refused: refused.length },
    correct: "all queued or all refused (a full queue may refuse)",
    expected: "one of the two",
    observed: `${queued.length} queued, ${refused.length} refused`,
  });
}

/** Whether one length of the queue explains all: it was never certainly reached by what was queued, and may have been by each refusal. */
function isFullQueue(queued: readonly LimitOp[], maybeQueued: readonly LimitOp[], refused: readonly LimitOp[]): boolean {
  const possible = (op: LimitOp): number =>
    maybeQueued.filter((other) => other.sentMs <= op.headersMs && other.headersMs >= op.sentMs).length;
  const certain = (op: LimitOp): number =>
    queued.filter(
      (other) => other !== op && other.sentMs <= op.sentMs - underWayMs && answeredFromMs(other) >= op.sentMs + underWayMs,
    ).length;
  const most = Math.min(...refused.map(possible));
  return queued.every((op) => certain(op) < most);
}

/** None where too little was queued for an order. */
function checkOrder(view: BurstView, { queued }: CooldownOps): readonly Check[] {
  const own = checkHead("queue.out-of-order");
  const overtaken = queued.find((op) =>
    queued.some(
      (later) => later.sentMs > op.sentMs + 1000 + view.tolerances.fuzzMs && later.headersMs < answeredFromMs(op) - 1000,
    ),
  );
  if (!overtaken) {
    if (queued.length <= 1) return [];
    return [passed(own, queued.length, `${queued.length} queued requests, in order as far as it shows`)];
  }
  return [
    accused(own, queued.length, "advisory", {
      kind: "queue-order",
      message: `#${overtaken.seq}, queued for ${(leastHeldMs(overtaken) / 1000).toFixed(1)} s, was answered more than a second after another one that had come more than a second later`,
      rule: "A queue serves in the order of arrival.",
      spec,
      ops: [overtaken],
      correct: "first in, first out",
      expected: "in order of arrival",
      observed: "overtaken",
    }),
  ];
}
