import type { LimitOp } from "../history/op.ts";

/** Others that may have been decided between the two, which may lie so much further apart. */
export function between(ops: readonly LimitOp[], first: LimitOp, second: LimitOp, skewMs = 0): number {
  const [fromMs, toMs] = [first.sentMs - skewMs, second.headersMs + skewMs];
  return ops.filter((op) => op !== first && op !== second && op.headersMs >= fromMs && op.sentMs <= toMs).length;
}

/** The most that one refill brings back: 12 s of the average rate, or what two requests show between which there was one: lone readings, or refusals. */
export function batchOf(ops: readonly LimitOp[], pair: readonly LimitOp[], limit: number, windowMs: number): number {
  const most = (12_000 * limit) / windowMs;
  const [early, late] = pair;
  if (early === undefined || late === undefined) return most;
  if (early.status === 429 && late.status === 429) {
    const used = between(ops, early, late);
    const came = ops.some((op) => op.outcome === "admitted" && op.sentMs > early.headersMs && op.headersMs < late.sentMs);
    return came ? Math.min(most, used + 1) : most;
  }
  const rose = (late.requests.remaining ?? 0) - (early.requests.remaining ?? Number.POSITIVE_INFINITY);
  const alone = early.outcome === "admitted" && late.outcome === "admitted" && between(ops, early, late) === 0;
  const isFull = !ops.some((op) => op.outcome === "admitted" && (op.requests.remaining ?? 0) > late.requests.remaining! + 2);
  return alone && rose >= 0 && early.headersMs < late.sentMs && !isFull ? Math.min(most, rose + 2) : most;
}

/** Four answers whose labels are two seconds or more apart, all within one and a half windows: no windows end there. */
export function labelsCrowd(ops: readonly LimitOp[], windowMs: number): boolean {
  const named = ops.flatMap(({ outcome, requests }) => (outcome === "admitted" ? (requests.resetMs ?? []) : []));
  const labels = [...new Set(named)].sort((a, b) => a - b);
  // The place of the first label so far after each one; the list goes forward, and so do the places.
  let next = 0;
  const following = labels.map((label) => {
    while (next < labels.length && labels[next]! < label + 2000) next += 1;
    return next;
  });
  return labels.some((first, index) => {
    const fourth = labels[following[following[following[index]!] ?? labels.length] ?? labels.length];
    return fourth !== undefined && fourth <= first + 1.5 * windowMs;
  });
}

/** Every wait that a refusal names, wherever it does. */
export function statedWaitsMs({ retry }: LimitOp): readonly number[] {
  const hints = [retry?.header, retry?.bodySeconds, retry?.bodyMs, retry?.headerMs];
  return hints.map((hint) => hint?.waitMs).filter((waitMs) => typeof waitMs === "number");
}

export interface TwoReadings {
  readonly first: LimitOp;
  readonly second: LimitOp;
  /** By how much the number that remains fell. */
  readonly fell: number;
  /** The other requests that the certificate names. */
  readonly others: readonly LimitOp[];
}

/** The readings that a certificate names first; null where they are not one after the other. */
export function twoReadings([first, second, ...others]: readonly LimitOp[]): TwoReadings | null {
  if (first === undefined || second === undefined || first.headersMs >= second.sentMs) return null;
  const fell = (first.requests.remaining ?? 0) - (second.requests.remaining ?? Number.POSITIVE_INFINITY);
  return { first, second, fell, others };
}
