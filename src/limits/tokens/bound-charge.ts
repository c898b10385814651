import { certainlyCharged } from "../history/certainly-charged.ts";
import type { OpOf } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";
import type { Accusation } from "../verdict/check.ts";
import { chargeDelayMs } from "./charge-delay.ts";
import { describeFall } from "./describe-fall.ts";
import { type Charge, chargeWords } from "./find-charges.ts";
import { heldLeavingBetween, leavingBetween } from "./leaving-between.ts";
import type { TokenReadings } from "./token-readings.ts";
import { mostRefill } from "./most-refill.ts";

/** By how much the remaining tokens fell over one charge, and by how much they may have fallen. */
export interface ChargeBounds {
  readonly fell: number;
  readonly low: number;
  readonly high: number;
  /** Tokens that the request used, at least. */
  readonly total: number;
  /** It is so much more than what readings and refills hide that it shows. */
  readonly isLarge: boolean;
  readonly parameters: Readonly<Record<string, number>>;
}

interface ChargeContext {
  readonly ops: readonly OpOf<"tokens">[];
  readonly known: TokenReadings;
  readonly tolerances: Tolerances;
  /** Labels of windows that brought nothing back before their end (`labelsWithoutRefill`). */
  readonly still: ReadonlySet<number | null>;
  /** Nothing says what either used where it is null. */
  readonly total: number | null;
  /** Less what a cache held of the prompt. */
  readonly least: number;
}

/** null: no bound is known. */
export function boundCharge({ before, charged, after, between }: Charge, context: ChargeContext): ChargeBounds | null {
  const { ops, known, tolerances, still, total, least } = context;
  const { step, lump } = known;
  const limit = before.tokens.limit;
  const fell = (before.tokens.remaining ?? 0) - (after.tokens.remaining ?? 0);
  const sameWindow = before.tokens.resetMs === after.tokens.resetMs;
  // A window that may have ended in between gives back what was charged in it.
  const isOver = known.mayHaveEnded(before, after);
  if (limit === null || total === null || (isOver && fell < 0)) return null;
  // Readings may themselves differ by a token or two; a moving label may refill at the average rate.
  const readings = [before.usedTokens ?? 4, after.usedTokens ?? 4];
  const own = Math.max(...readings);
  const ownLeast = Math.min(certainlyCharged(before, 4), certainlyCharged(after, 4));
  // A reading just before the first one may be charged after it; of larger requests the exam waits for the charge.
  const pending = ops.filter(
    (op) => op.phase === "reading" && op.sentMs < before.sentMs && op.endMs + chargeDelayMs >= before.sentMs,
  );
  const further = [...pending, ...between].reduce((sum, op) => sum + (op.usedTokens ?? op.maxTokens ?? 4), 0);
  const slack = 2 + own - ownLeast + step;
  // Tokens that were held for an answer just before may have been given back after the first reading.
  const released = ops
    .filter((op) => op !== before && op.sentMs < before.sentMs && op.endMs + chargeDelayMs >= before.sentMs)
    .reduce((sum, op) => sum + (op.maxTokens ?? 0), 0);
  const refill =
    released +
    (sameWindow && still.has(before.tokens.resetMs)
      ? 0
      : mostRefill(limit, { fromMs: before.sentMs, untilMs: after.headersMs, slackMs: tolerances.fuzzMs }, tolerances) +
        lump +
        leavingBetween(ops, before, after, tolerances));
  const exact = charged.usedTokens !== null;
  const low = isOver ? 0 : (exact ? least + ownLeast : least / 2) - refill - slack;
  // Tokens that are held for an answer may be given back as late as a charge comes.
  const held =
    (after.sentMs < charged.endMs + chargeDelayMs ? (charged.maxTokens ?? 0) : 0) +
    heldLeavingBetween(ops, before, after, tolerances);
  const high = exact && total >= 2 * slack + 8 ? total + own + further + held + slack : Number.POSITIVE_INFINITY;
  // A charge for nothing but what a cache held proves nothing: it may be none.
  const isLarge = least >= 2 * (slack + refill - released) + 8 && least > slack + refill;
  return {
    fell,
    low,
    high,
    total,
    isLarge,
    parameters: { fell, total, least, own, further: further + held, refill, slack, step },
  };
}

export function accuseCharge({ before, charged, after }: Charge, bounds: ChargeBounds): Accusation {
  const { fell, low, high, total, parameters } = bounds;
  return {
    kind: "token-charge",
    message: `#${charged.seq} (${chargeWords[charged.phase]}) used ${total} tokens${charged.usedTokens === null ? " at least" : ""}${cachedWords(charged)}; remaining tokens ${describeFall(fell)} from #${before.seq} to #${after.seq}`,
    rule: "Remaining tokens fall by what the requests in between report as their usage.",
    spec: "Limits > Rate limits (x-ratelimit-remaining-tokens)",
    ops: [before, charged, after],
    parameters,
    correct: `remaining tokens lower by ${Math.round(low)} ${Number.isFinite(high) ? `to ${Math.round(high)}` : "at least"}`,
    expected: `about ${total + (parameters["own"] ?? 0)}`,
    observed: String(fell),
  };
}

function cachedWords({ cachedTokens }: Charge["charged"]): string {
  return cachedTokens === null || cachedTokens === 0 ? "" : `, ${cachedTokens} of which a cache held`;
}
