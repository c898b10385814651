import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { Case } from "../plan/case.ts";

/**
 * Requests that take about as long as each other: `chat`, `chat refused` (what a target refuses takes it no work of a model),
 * `chat long` (as much as the model writes, or many tokens).
 */
export type WorkKind = `${EndpointId | "other"}${"" | " refused" | " long"}`;

/** What a case sends at most, by kind. Some cases leave out what the target has no model for. */
export function workOfCase({ cost }: Case, { models }: Manifest): ReadonlyMap<WorkKind, number> {
  const without = new Set([
    ...(models.embedding === null ? ["embeddings"] : []),
    ...(models.transcription === null ? ["transcriptions"] : []),
  ]);
  const refused: Partial<Record<string, number>> = cost.refused ?? {};
  const long: Partial<Record<string, number>> = cost.long ?? {};
  const work = new Map<WorkKind, number>();
  for (const [operation, count] of Object.entries(cost.requests) as [EndpointId | "other", number][]) {
    if (without.has(operation)) continue;
    const [no, much] = [refused[operation] ?? 0, long[operation] ?? 0];
    const kinds = { [operation]: count - no - much, [`${operation} refused`]: no, [`${operation} long`]: much };
    for (const [kind, share] of Object.entries(kinds) as [WorkKind, number][]) if (share > 0) work.set(kind, share);
  }
  return work;
}
