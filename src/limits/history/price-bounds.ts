import type { LimitOp } from "./op.ts";

/** The bounds of the price of one purchase by the usage reports, cents. */
export interface PriceBounds {
  readonly lowCents: number;
  readonly highCents: number;
}

export interface UsageReading {
  readonly sentMs: number;
  readonly headersMs: number;
  readonly cents: number;
}

/** Reports may be rounded: the coarsest of these of which all of them are multiples, cents. */
const steps = [1, 0.1, 0.01, 0.001];

/** 0: they are not rounded to any of these. */
export function reportStepCents(reports: readonly number[]): number {
  const isMultiple = (cents: number, step: number): boolean => Math.abs(cents / step - Math.round(cents / step)) < 1e-6;
  return steps.find((step) => reports.every((cents) => isMultiple(cents, step))) ?? 0;
}

/**
 * The price by the growth between any two reports and the purchases that fall certainly, or possibly, between them; that of alike texts within
 * a twentieth. Rounding of
 * the reports and purchases that were never answered widen it. If no price fits all reports, some of them lag, lawfully by any
 * time (AMB-35): then the price has no upper bound, and is at least the quotient of the last report and all purchases since the
 * first.
 */
export function boundPrice(usage: readonly UsageReading[], purchases: readonly PricedOp[]): PriceBounds {
  const { lowCents, highCents } = boundMean(usage, purchases);
  const most = dearestShare(purchases);
  return Number.isFinite(most) ? { lowCents: lowCents / most, highCents: highCents * most } : unknownPrice;
}

type PricedOp = Pick<LimitOp, "sentMs" | "endMs" | "outcome" | "endpoint" | "usedTokens">;

const unknownPrice: PriceBounds = { lowCents: 0, highCents: Number.POSITIVE_INFINITY };

/** Alike texts differ by the words of their marks and by an answer of some tokens. */
const textShare = 1.05;

/** How many times as much as the cheapest of these purchases the dearest may cost; Infinity: their tokens differ by more than alike texts do. */
function dearestShare(purchases: readonly PricedOp[]): number {
  const texts = purchases.filter(
    ({ endpoint, outcome }) => (endpoint === "chat" || endpoint === "embeddings") && outcome === "admitted",
  );
  const tokens = texts.flatMap(({ usedTokens }) => usedTokens ?? []);
  if (texts.length === 0) return 1;
  return tokens.length > 0 && Math.max(...tokens) > textShare * Math.min(...tokens) ? Number.POSITIVE_INFINITY : textShare;
}

function boundMean(usage: readonly UsageReading[], purchases: readonly PricedOp[]): PriceBounds {
  const step = reportStepCents(usage.map(({ cents }) => cents));
  const costly = purchases.filter(({ outcome }) => outcome === "admitted" || outcome === "maybe");
  let lowCents = 0;
  let highCents = Number.POSITIVE_INFINITY;
  usage.forEach((earlier, index) => {
    for (const later of usage.slice(index + 1)) {
      const grown = later.cents - earlier.cents;
      const certain = costly.filter(
        (op) => op.outcome === "admitted" && op.sentMs >= earlier.headersMs && op.endMs <= later.sentMs,
      ).length;
      // A request without an answer may be charged at any time after it was sent.
      const possible = costly.filter((op) => op.sentMs <= later.headersMs && op.endMs >= earlier.sentMs).length;
      if (possible > 0) lowCents = Math.max(lowCents, (grown - step) / possible);
      if (certain > 0) highCents = Math.min(highCents, (grown + step) / certain);
    }
  });
  // Sums of fractions of a cent differ in their last digits.
  if (lowCents <= highCents * (1 + 1e-9)) return { lowCents: Math.min(lowCents, highCents), highCents };
  const [first, last] = [usage[0]!, usage.at(-1)!];
  const since = costly.filter((op) => op.sentMs <= last.headersMs && op.endMs >= first.sentMs).length;
  return { lowCents: Math.max(0, last.cents - first.cents - step) / since, highCents: Number.POSITIVE_INFINITY };
}
