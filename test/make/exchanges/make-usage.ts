import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { type ExchangeDraft, makeExchange } from "./make-exchange.ts";

export interface BucketDraft {
  readonly at: string;
  readonly tokens?: number;
  /** Of the tokens; the others are those of prompts. */
  readonly completion?: number;
  readonly cost?: number;
}

export interface UsageDraft extends ExchangeDraft {
  readonly from?: string;
  readonly to?: string;
  readonly granularity?: string | null;
  readonly totalTokens?: number;
  readonly totalCost?: number;
}

/** A usage report on two whole days, with the sums of its buckets for an aggregate unless the draft says otherwise. */
export function makeUsage(buckets: readonly BucketDraft[], draft: UsageDraft = {}): Exchange {
  const { from = "2026-11-20T00:00:00Z", to = "2026-11-22T00:00:00Z", granularity = "day", ...rest } = draft;
  const { totalTokens, totalCost, ...record } = rest;
  const query = new URLSearchParams({ from, to, ...(granularity === null ? {} : { granularity }) });
  const data = buckets.map(({ at, tokens = 0, completion = 0, cost = 0 }) => ({
    timestamp: at,
    prompt_tokens: tokens - completion,
    completion_tokens: completion,
    total_tokens: tokens,
    cost_usd: cost,
  }));
  const aggregate = {
    total_tokens: totalTokens ?? buckets.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
    total_cost_usd: totalCost ?? buckets.reduce((sum, { cost = 0 }) => sum + cost, 0),
  };
  return makeExchange({
    endpoint: "usage",
    path: `/v1/usage?${query.toString()}`,
    received: { object: "list", data, aggregate },
    ...record,
  });
}
