import type { Prices } from "../../core/manifest.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import type { Escrowed } from "../../distributed/budget/escrow-counters.ts";
import { estimateWorstCase } from "../../wire/budget/cost-estimate.ts";

/** What the wire reserves for a request. */
export function worstOf(request: SendRequest, prices: Prices): Readonly<Record<Escrowed, number>> {
  const { tokens, costUsd } = request.reserve ?? estimateWorstCase(request, prices);
  return { requests: 1, tokens: Math.ceil(tokens), nanoUsd: Math.min(1e14, Math.ceil(costUsd * 1e9)) };
}
