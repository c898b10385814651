import type { LimitDecision } from "../history/op.ts";

/** Purchases of the search for what a key has spent; one more comes before it. */
export const mostSearching = 12;

export interface SpendSearch {
  /** One purchase of the key that is searched for. */
  readonly buy: (phase: "capped" | "search") => Promise<LimitDecision | null>;
  readonly setCap: (cents: number) => Promise<unknown>;
  /** Cents. */
  readonly price: number;
  /** A cap that its purchases have reached, cents. */
  readonly reachedCents: number;
  /** The spend of the whole account by its report, cents: the key has not spent more. */
  readonly reported: number;
}

/**
 * The upper bound of the spend of a key, cents; the last refusal shows that it is not much less. No report states it for one
 * key alone: caps are set, and a purchase asks each of them.
 */
export async function searchSpend({ buy, setCap, price, reachedCents, reported }: SpendSearch): Promise<number> {
  let low = reachedCents;
  await setCap(low);
  if ((await buy("capped")) !== "rejected") return reported + price;
  let high = reported;
  for (let step = 0; step < mostSearching && (step === 0 || high - low > 2.5 * price); step += 1) {
    // If nobody else of the account has spent anything, the first question is the last.
    const cap = Math.floor(step === 0 ? reported - price / 2 : (low + high) / 2);
    if (cap <= low) break;
    await setCap(cap);
    const outcome = await buy("search");
    if (outcome === "rejected") low = cap;
    // Below the cap before it, and one purchase more now.
    else if (outcome === "admitted") high = Math.min(high + price, cap + price);
    else break;
  }
  return high;
}
