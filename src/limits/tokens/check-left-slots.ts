import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import type { LimitOp, OpOf } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";
import { accused, type Check, checkHead, inconclusive, passed } from "../verdict/check.ts";

const head = checkHead("tokens.left-slots", 4);

const leaving: ReadonlySet<LimitPhases["tokens"]> = new Set(["left-late", "left-early", "left-at-head", "left-upload"]);

interface SlotContext {
  readonly tolerances: Tolerances;
  /** All requests of the key, of any stage and to any endpoint. */
  readonly all: readonly LimitOp[];
  readonly exclusive: boolean;
}

/**
 * After many clients left, a small request is served as before: at once, or, where a limit had been used up or answers were still being
 * made, a silent window later. null where none left.
 */
export function checkLeftSlots(ops: readonly OpOf<"tokens">[], { tolerances, all, exclusive }: SlotContext): Check | null {
  const left = ops.filter(({ phase, outcome }) => leaving.has(phase) && (outcome === "admitted" || outcome === "maybe"));
  const first = left[0];
  if (first === undefined) return null;
  const whole = ops.find(({ phase, outcome }) => phase === "left-whole" && outcome === "admitted");
  const lastMs = Math.max(...left.map(({ sentMs }) => sentMs));
  const after = ops.filter(({ phase, sentMs }) => sentMs > lastMs && (phase === "left-reading" || phase === "left-again"));
  const end = after.at(-1);
  // An odd end is asked for once more; the silence is that before the first of both.
  const last = end?.outcome === "admitted" ? end : (after.find(({ phase }) => phase === "left-again") ?? end);
  if (last === undefined || whole === undefined) return inconclusive(head, 0, "nothing was asked after clients left");
  if (last.outcome === "admitted")
    return passed(head, left.length, `${left.length} clients left, and #${last.seq} was served after that`);
  const earlier = all.filter((op) => op.key === last.key && op !== last && op.sentMs < last.sentMs);
  const quietMs = last.sentMs - Math.max(...earlier.map(({ endMs, sentMs }) => (Number.isFinite(endMs) ? endMs : sentMs)));
  const doubt = findDoubt({ last, whole, left: left.length, quietMs }, tolerances, exclusive);
  if (doubt !== null)
    return inconclusive(head, left.length, `#${last.seq} was not served after ${left.length} clients left: ${doubt}`);
  const answer = last.status === null ? "got no answer" : `was answered ${last.status}`;
  return accused(head, left.length, "fail", {
    kind: "left-slots",
    message: `after ${left.length} clients had left their requests (#${first.seq} to #${left.at(-1)!.seq}), #${last.seq} ${answer}, although nothing was sent for ${(quietMs / 1000).toFixed(1)} s before it, a whole window. The places of requests that nobody waits for are not given back`,
    rule: "A request whose client has left holds nothing that later requests need.",
    spec: "Limits > Rate limits (per key and per endpoint)",
    ops: [whole, ...left.slice(0, 30), last],
    parameters: { left: left.length, quietMs: Math.floor(quietMs), windowMs: tolerances.windowMs },
    correct: "it is served: every window limit is whole again",
    expected: "2xx",
    observed: last.status === null ? "no answer" : String(last.status),
  });
}

interface Unserved {
  readonly last: LimitOp;
  readonly whole: LimitOp;
  readonly left: number;
  readonly quietMs: number;
}

/** A lawful reason for which the last request was not served; null: there is none. */
function findDoubt({ last, whole, left, quietMs }: Unserved, { windowMs }: Tolerances, exclusive: boolean): string | null {
  if (!exclusive) return "others may use the key (exclusive is false)";
  if (last.outcome === "other") return `it was answered ${last.status}, which no limit is`;
  if (last.cause === "spend") return "a cap refused it";
  if (quietMs < windowMs) return "less than a window had passed in silence";
  // One after the other they may take so long.
  if ((whole.endMs - whole.sentMs) * left > windowMs) return "answers that nobody reads may still be made";
  if ((last.retry?.seconds ?? 0) * 1000 > 2 * windowMs) return "the wait that its refusal names is longer than two windows";
  return null;
}
