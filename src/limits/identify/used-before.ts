import type { FamilyOp } from "./family.ts";

/** An answer may state any number: as many as a family is compared with are enough. */
const mostUsed = 6000;

/**
 * Requests that may have been counted before a history begins: as many as its first answer shows to be missing. A window that somebody
 * used before is no other algorithm.
 */
export function usedBefore(
  ops: readonly FamilyOp[],
  { limit, windowMs, before }: { readonly limit: number; readonly windowMs: number; readonly before: 0 | 1 },
): readonly FamilyOp[] {
  const first = ops
    .filter(({ outcome, remaining }) => outcome === "rejected" || (outcome === "admitted" && remaining !== null))
    .reduce<FamilyOp | null>((least, op) => (least === null || op.headersMs < least.headersMs ? op : least), null);
  if (first === null) return [];
  const missing = first.outcome === "rejected" ? limit : limit - first.remaining! - (1 - before);
  const beganMs = Math.min(...ops.map(({ sentMs }) => sentMs));
  return Array.from({ length: Math.min(mostUsed, Math.max(0, Math.ceil(missing))) }, (_, index) => ({
    seq: -1 - index,
    sentMs: beganMs - 2 * windowMs,
    headersMs: beganMs,
    outcome: "free",
    remaining: null,
  }));
}
