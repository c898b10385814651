import { endpoints, type EndpointId } from "../../core/exchange/endpoint.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { Case } from "../plan/case.ts";

type Operation = EndpointId | "other";

/**
 * Requests that take about as long as each other: what a target refuses takes it no work of a model, and long is an answer of as
 * much as the model writes, or of many tokens.
 */
export interface WorkKind {
  readonly operation: Operation;
  readonly answer: "usual" | "refused" | "long";
}

const kinds: readonly WorkKind[] = ([...Object.keys(endpoints), "other"] as Operation[]).flatMap((operation) =>
  (["usual", "refused", "long"] as const).map((answer) => ({ operation, answer })),
);

/** One object for each kind, which maps can have for a key. */
export function workKind(operation: Operation, answer: WorkKind["answer"]): WorkKind {
  return kinds.find((kind) => kind.operation === operation && kind.answer === answer)!;
}

/** What a case sends at most, by kind. Some cases leave out what the target has no model for. */
export function workOfCase({ cost }: Case, { models }: Manifest): ReadonlyMap<WorkKind, number> {
  const without = new Set([
    ...(models.embedding === null ? ["embeddings"] : []),
    ...(models.transcription === null ? ["transcriptions"] : []),
  ]);
  const refused: Partial<Record<string, number>> = cost.refused ?? {};
  const long: Partial<Record<string, number>> = cost.long ?? {};
  const work = new Map<WorkKind, number>();
  for (const [operation, count] of Object.entries(cost.requests) as [Operation, number][]) {
    if (without.has(operation)) continue;
    const [no, much] = [refused[operation] ?? 0, long[operation] ?? 0];
    const shares = [
      ["usual", count - no - much],
      ["refused", no],
      ["long", much],
    ] as const;
    for (const [answer, share] of shares) if (share > 0) work.set(workKind(operation, answer), share);
  }
  return work;
}
