import type { Check } from "../verdict/check.ts";
import type { ClockOffset } from "../history/clock-offset.ts";
import type { LimitOp, OpOf } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";
import { checkCharges } from "./check-charges.ts";
import { tokenReadings } from "./token-readings.ts";

/**
 * The least share by which embeddings show more than chat before and after. A smaller difference may be the same counter,
 * refilled or read late.
 */
const leastApart = 0.25;

/** Whether an answer of embeddings shows tokens of its own: another limit, or much more left than chat has. */
export function showsOwnTokens(embedded: LimitOp, chat: LimitOp): boolean {
  const { limit, remaining } = embedded.tokens;
  if (limit === null || remaining === null || chat.tokens.limit === null || chat.tokens.remaining === null) return false;
  return limit !== chat.tokens.limit || remaining - chat.tokens.remaining > leastApart * remaining;
}

/**
 * The charge of embeddings, from requests of one key. null where nothing may be said: no request was served and read, what it shows may be
 * the tokens of chat, which embeddings need not lower, or too little was used to distinguish it from what comes back.
 */
export function judgeEmbeddings(
  ops: readonly OpOf<"tokens">[],
  tolerances: Tolerances,
  offset: ClockOffset | null,
): { readonly ops: readonly LimitOp[]; readonly check: Check } | null {
  const own = ops.filter(({ endpoint }) => endpoint === "embeddings");
  const first = own[0];
  const charged = own.find(({ phase }) => phase === "charge-embedding");
  if (first === undefined || charged === undefined) return null;
  const chat = ops.filter(({ endpoint, phase, outcome }) => endpoint === "chat" && phase === "reading" && outcome === "admitted");
  const around = [chat.findLast(({ sentMs }) => sentMs < first.sentMs), chat.find(({ sentMs }) => sentMs > charged.sentMs)];
  // Lower before and after: a window that ended in between would have renewed the later one too.
  if (around.some((reading) => reading === undefined || !showsOwnTokens(first, reading))) return null;
  const known = tokenReadings(
    ops.filter(({ endpoint }) => endpoint === "chat"),
    offset,
    tolerances,
  );
  const mine = tokenReadings(own, offset, tolerances);
  const readings = {
    ...mine,
    // One service refills equal limits alike, and its labels mean the same everywhere. One that moves by more than what was used names a window.
    lump: chat[0]?.tokens.limit === first.tokens.limit ? known.lump : mine.lump,
    mayHaveEnded: (before: LimitOp, after: LimitOp): boolean =>
      known.mayHaveEnded(before, after) || (after.tokens.resetMs ?? 0) - (before.tokens.resetMs ?? 0) > tolerances.windowMs / 2,
  };
  const check = checkCharges(own, readings, tolerances, { needed: 1 });
  return check.verdict === "inconclusive" ? null : { ops: own, check };
}
