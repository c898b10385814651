import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import { checkHead, accused, inconclusive, passed, type Check, type CheckHead } from "../verdict/check.ts";
import type { ClockOffset } from "../history/clock-offset.ts";
import { findAbsurdWait } from "../verdict/find-absurd-wait.ts";
import type { LimitOp, OpOf } from "../history/op.ts";
import { shortestWait } from "../history/shortest-wait.ts";
import type { Tolerances } from "../history/tolerances.ts";

const spec = "Errors (429) and Limits > Rate limits (tokens, retry-after)";

/**
 * The evidence that the refusals of one key are judged by. `others`: all other requests of the key on the endpoint, of any
 * stage.
 */
export interface TokenRefusals {
  readonly ops: readonly OpOf<"tokens">[];
  readonly others: readonly LimitOp[];
  readonly offset: ClockOffset | null;
  readonly tolerances: Tolerances;
  readonly exclusive: boolean;
}

/** A 429 that speaks of no other limit. */
export function isTokenRefusal({ outcome, cause, requests }: LimitOp): boolean {
  return outcome === "rejected" && cause !== "spend" && cause !== "requests" && requests.remaining !== 0;
}

export function checkTokenRefusals(view: TokenRefusals): readonly Check[] {
  return [checkStatus(view), checkKept(view), checkNotLong(view)];
}

const statusHead: CheckHead = checkHead("tokens.refusal-status");

const small: ReadonlySet<LimitPhases["tokens"]> = new Set(["reading", "exhausted"]);

/** The same request, served at another time of the exam: the small one is sent again and again, the large one when the wait is over. */
function servedTwin({ phase, maxTokens }: OpOf<"tokens">, ops: readonly OpOf<"tokens">[]): LimitOp | undefined {
  return ops.find(
    (one) =>
      one.outcome === "admitted" &&
      one.maxTokens === maxTokens &&
      (small.has(phase) ? small.has(one.phase) : one.phase === "exhaust" || one.phase === "returned"),
  );
}

/** The error of a request that is served where more tokens remain than it needs, and got it where fewer did. */
function checkStatus({ ops }: TokenRefusals): Check {
  const beyond = ops.filter(({ phase }) => phase === "exhaust" || phase === "exhausted");
  const odd = beyond.flatMap((op) => {
    const twin = op.status === null || op.status < 400 || op.status === 429 ? undefined : servedTwin(op, ops);
    const needed = (twin?.usedTokens ?? 0) + (twin?.maxTokens ?? 0);
    return twin === undefined || (op.tokens.remaining ?? 0) > needed ? [] : [{ op, twin }];
  });
  const ownFault = odd.filter(({ op }) => op.status! < 500);
  const failedElsewhere = ops.some((op) => !beyond.includes(op) && (op.status ?? 0) >= 500);
  // A 5xx may be an accident: only several, and none elsewhere, are the service's way to refuse.
  const wrong = ownFault.length > 0 ? ownFault : odd.length > 1 && !failedElsewhere ? odd : [];
  const [first] = wrong;
  const refused = ops.filter(isTokenRefusal).length;
  if (first === undefined) {
    const errors = beyond.filter(({ status }) => status !== null && status >= 400 && status !== 429).length;
    if (errors > 0)
      return inconclusive(statusHead, beyond.length, `${errors} requests beyond the token limit were answered by another error`);
    return refused === 0
      ? inconclusive(statusHead, 0, "nothing was refused by the token limit")
      : passed(statusHead, refused, `${refused} requests beyond the token limit were answered 429`);
  }
  const { op, twin } = first;
  const left = op.tokens.remaining === null ? "" : ` with ${op.tokens.remaining} tokens remaining`;
  return accused(statusHead, beyond.length, "fail", {
    kind: statusHead.id,
    message: `${wrong.length} ${wrong.length === 1 ? "request was" : "requests were"} answered ${op.status} (#${op.seq})${left} after the tokens had been used; the same request was served where they had not (#${twin.seq}, ${twin.usedTokens ?? "some"} tokens), so that this is how the service refuses beyond the token limit. A correct one answers 429`,
    rule: "A request beyond the token limit is answered 429.",
    spec,
    ops: wrong.map((one) => one.op),
    parameters: { status: op.status, servedSeq: twin.seq },
    lawfulAlternative: "429 with retry-after",
    expected: "429",
    observed: String(op.status),
  });
}

const shortHead: CheckHead = checkHead("tokens.retry-after-too-short");

/** The same request once more, when the wait that its refusal named is over and nobody else came in between. */
function checkKept({ ops, others, tolerances, exclusive }: TokenRefusals): Check {
  const returned = ops.filter(({ phase }) => phase === "returned");
  if (returned.length === 0) return inconclusive(shortHead, 0, "no refusal by the token limit was waited for");
  if (!exclusive) return inconclusive(shortHead, 0, "others may use the key (exclusive is false)");
  let considered = 0;
  for (const late of returned) {
    const early = ops.findLast((op) => op.headersMs < late.sentMs);
    const wait = early === undefined || !isTokenRefusal(early) ? null : shortestWait(early.retry);
    if (early === undefined || wait === null || early.maxTokens !== late.maxTokens) continue;
    const waitedMs = late.sentMs - early.headersMs;
    if (waitedMs < wait.seconds * 1000 + tolerances.fuzzMs) continue;
    if (others.some((op) => op.headersMs >= early.sentMs && op.sentMs <= late.headersMs)) continue;
    if (mayExceedLimit(late, ops)) continue;
    considered += 1;
    if (!isTokenRefusal(late) || (wait.seconds > 0 && cameBack(early, late))) continue;
    const seconds = (waitedMs / 1000).toFixed(2);
    return accused(shortHead, considered, "fail", {
      kind: shortHead.id,
      message: `#${early.seq} was refused by the token limit and said to wait ${wait.seconds} s; the same request #${late.seq} waited ${seconds} s, nobody else came, and it was refused with 429 again. A correct limiter of any kind admits it, or names the longer wait`,
      rule: "A request that waits as long as the refusal says is admitted, if nobody used the allowance meanwhile.",
      spec,
      ops: [early, late],
      parameters: { waitSeconds: wait.seconds, fuzzMs: tolerances.fuzzMs },
      lawfulAlternative: `#${early.seq} names a longer wait, or #${late.seq} is admitted`,
      expected: "admitted",
      observed: "429",
    });
  }
  return passed(shortHead, considered, `${considered} requests that waited as asked were admitted`);
}

/** A request that used more tokens than the limit allows, where a window let it pass, need not be served by a wait. */
function mayExceedLimit(late: OpOf<"tokens">, ops: readonly OpOf<"tokens">[]): boolean {
  const { limit } = late.tokens;
  if (limit === null || late.outcome === "admitted") return false;
  const twin = servedTwin(late, ops);
  return twin !== undefined && (twin.usedTokens ?? 0) + (late.maxTokens ?? 0) > limit;
}

/**
 * The wait may lead to the first tokens that come back, and the large request need more than those: a smaller one would have
 * been admitted. The wait of a request that needs next to nothing promised exactly that request.
 */
function cameBack(early: OpOf<"tokens">, late: LimitOp): boolean {
  if (early.phase === "exhausted") return false;
  return early.tokens.remaining === null || late.tokens.remaining === null || late.tokens.remaining > early.tokens.remaining;
}

const longHead: CheckHead = checkHead("tokens.retry-after-too-long");

function checkNotLong({ ops, offset, tolerances: { windowMs } }: TokenRefusals): Check {
  const refused = ops.filter((op) => isTokenRefusal(op) && op.retry?.seconds !== null);
  if (refused.length === 0) return inconclusive(longHead, 0, "no refusal by the token limit named a wait");
  const absurd = findAbsurdWait(refused, { offset, windowMs, resetOf: ({ tokens }) => tokens.resetMs });
  if (absurd === null) return passed(longHead, refused.length, `${refused.length} waits are of the order of the window`);
  const { says, lawful, proof } = absurd;
  return accused(longHead, refused.length, "fail", {
    ...proof,
    message: `#${proof.ops[0]!.seq} was refused by the token limit and ${says}. A correct limiter of any kind names seconds within one window, or two`,
    spec,
    lawfulAlternative: lawful,
  });
}
