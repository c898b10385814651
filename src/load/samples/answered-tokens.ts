import type { LoadRecord } from "./load-record.ts";

/** What an answer adds to the tokens that a usage report should show; null where nobody knows. */
export function answeredTokens({
  endpoint,
  outcome,
  stream,
  promptTokens,
  outputTokens,
  tokensEstimated,
}: LoadRecord): number | null {
  if (endpoint !== "chat" && endpoint !== "embeddings") return 0;
  // A stream that broke may have been billed, and nothing showed how much.
  if (outcome === "transport-error" || outcome === "interrupted" || (outcome === "server-error" && stream !== null)) return null;
  if (outcome !== "ok") return 0;
  return promptTokens === null || tokensEstimated ? null : promptTokens + (outputTokens ?? 0);
}
