import type { Prices } from "../../core/manifest.ts";
import type { LimitOp } from "../history/op.ts";
import type { SpendView } from "./spend-view.ts";

/**
 * What the requests of the exams cost, cents: purchases by the price that the usage report showed, tokens of all others at the
 * prices of the manifest. Load and conformance are counted by their own budgets.
 */
export function countSpentCents(
  ops: readonly LimitOp[],
  spend: Pick<SpendView, "purchases" | "priceCents"> | null,
  prices: Pick<Prices, "perMillionPromptTokens" | "perMillionCompletionTokens">,
): number {
  const purchases = (spend?.purchases ?? []).filter((op) => op.outcome === "admitted");
  const bought = new Set(purchases.map((op) => op.seq));
  let tokensUsd = 0;
  for (const op of ops) {
    if (op.policy === "" || op.outcome !== "admitted" || bought.has(op.seq)) continue;
    const prompt = (op.promptTokens ?? 0) * prices.perMillionPromptTokens;
    tokensUsd += (prompt + (op.completionTokens ?? 0) * prices.perMillionCompletionTokens) / 1e6;
  }
  return purchases.length * (spend?.priceCents ?? 0) + tokensUsd * 100;
}
