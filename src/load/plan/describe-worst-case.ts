import type { Manifest } from "../../core/manifest.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { LoadPlan, WorstCaseOfPlan } from "./plan-load.ts";

type Budget = Manifest["budget"];

/** The most that a profile can send and cost, in words: reported before anything is sent. */
export function describeWorstCase(
  { worstCase }: Pick<LoadPlan, "worstCase">,
  budget: Budget,
  { engine }: Pick<LoadProfile, "engine">,
): string {
  const bounds = describeBudget(budget);
  const { requests, tokens, costUsd } = worstCase;
  if (requests === null || tokens === null || costUsd === null) {
    const free = tokens === 0 && costUsd === 0 ? ", it costs no tokens" : "";
    const bounded =
      bounds === ""
        ? "only its duration bounds it: the manifest sets no budget"
        : `a closed loop has no number of requests; the budget of the run ends it: at most ${bounds}`;
    return `${bounded}${free}${engine === "autocannon" ? "; autocannon then sends out of the same budget" : ""}`;
  }
  const most = `at most ${requests} requests, ${tokens} tokens, ${dollars(costUsd)}, including retries`;
  return exceeds(worstCase, budget) ? `${most}; the budget of the run ends it before: at most ${bounds}` : most;
}

function describeBudget({ maxRequests, maxTokens, maxCostUsd }: Budget): string {
  const bounds = [
    maxRequests === null ? [] : [`${maxRequests} requests`],
    maxTokens === null ? [] : [`${maxTokens} tokens`],
    maxCostUsd === null ? [] : [`${maxCostUsd} USD`],
  ];
  return bounds.flat().join(", ");
}

function exceeds({ requests, tokens, costUsd }: WorstCaseOfPlan, { maxRequests, maxTokens, maxCostUsd }: Budget): boolean {
  const over = (worst: number | null, bound: number | null): boolean => bound !== null && (worst ?? 0) > bound;
  return over(requests, maxRequests) || over(tokens, maxTokens) || over(costUsd, maxCostUsd);
}

/** Rounded up to cents: what is reported is never less. */
function dollars(usd: number): string {
  // Sums of binary fractions: a billionth of a cent is not a cent.
  return `${(Math.ceil(100 * usd - 1e-9) / 100).toFixed(2)} USD`;
}
