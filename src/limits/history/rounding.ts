import type { LimitOp } from "./op.ts";

/** Steps in which limiters are known to show what remains. */
const steps = [100, 50, 25, 20, 10, 5];

/** Up to this step even a small limit may be rounded: to nothing but itself and zero. */
const commonStep = 10;

/**
 * Largest usual step that everything shown shares, 1 where it is exact. A reading may lie on either side of what it stands for,
 * by less than a step. If only zeros, or zeros and the limit, were seen, a step of ten looks like an exact count, and the step
 * is assumed. Limits below five are not rounded. O(n).
 */
export function roundingOf(ops: readonly LimitOp[], limit: number): number {
  for (const step of steps) {
    const usual = step <= limit / 4 && limit % step === 0;
    if (!usual && (step > commonStep || limit < 5)) continue;
    if (ops.every(({ requests: { remaining } }) => remaining === null || remaining % step === 0 || remaining === limit))
      return step;
  }
  return 1;
}

/** Why a limit cannot be counted by its readings, or null: more than a quarter of it lies between two of them. */
export function describeCoarseness(rounding: number, limit: number): string | null {
  if (rounding <= limit / 4 || rounding === 1) return null;
  return `all that was shown of the limit of ${limit} may be rounded to ${rounding}: too coarse to count by`;
}
