import type { LimitOp } from "../history/op.ts";

export interface TwoReadings {
  readonly first: LimitOp;
  readonly second: LimitOp;
  /** By how much the number that remains fell. */
  readonly fell: number;
  /** What the certificate names besides. */
  readonly others: readonly LimitOp[];
}

/** The readings that a certificate names first; null where they are not one after the other. */
export function twoReadings([first, second, ...others]: readonly LimitOp[]): TwoReadings | null {
  if (first === undefined || second === undefined || first.headersMs >= second.sentMs) return null;
  const fell = (first.requests.remaining ?? 0) - (second.requests.remaining ?? Number.POSITIVE_INFINITY);
  return { first, second, fell, others };
}
