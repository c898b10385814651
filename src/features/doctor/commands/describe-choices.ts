import { initialBudget, type InitialFacts } from "../../../config/initial-manifest.ts";
import { formatUsd } from "../../../report/text/format-number.ts";

/** Every choice that `assay init` made for the reader, with its reason and, where it chose nothing, the cost of that. */
export function describeChoices({ found, missing, worst, isKeyed }: InitialFacts): readonly string[] {
  const missed = isKeyed ? "no model of GET /v1/models is known to be one" : "nothing was asked without ASSAY_API_KEY";
  const { models, limits, features } = found;
  const budget = initialBudget(worst);
  const lacking = (member: string): number =>
    new Set(missing.filter((lack) => lack.member === member).flatMap(({ requirements }) => requirements)).size;
  const named = Object.entries(models).map(([kind, id]) =>
    id === null
      ? `models.${kind}: null, as ${missed}; name it, else ${lacking(`models.${kind}`)} requirements stay untested`
      : `models.${kind}: ${id}, from GET /v1/models; another one may be named`,
  );
  const declared = [
    ["limits.requestsPerMinute", limits.requestsPerMinute, "x-ratelimit-limit-requests"] as const,
    ["limits.tokensPerMinute", limits.tokensPerMinute, "x-ratelimit-limit-tokens"] as const,
  ].map(
    ([member, value, field]) =>
      `${member}: ${value ?? "null"}, ${value === null ? (isKeyed ? `as no answer had ${field}` : "as nothing was asked without ASSAY_API_KEY") : `from ${field}`}`,
  );
  const absent = Object.entries(features).map(([name, value]) => `features.${name}: ${String(value)}, as its path is not found`);
  return [
    ...named,
    ...declared,
    ...absent,
    `budget: ${budget.maxRequests} requests, ${budget.maxTokens} tokens, ${budget.maxCostUsd} USD; assay check plans at most ${worst.requests}, ${worst.tokens}, ${formatUsd(worst.costUsd)}`,
  ];
}
