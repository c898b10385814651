/** Seconds that a case waits at most for usage that must not come, on a target that bills at once. */
export const usageLateAtMost = 8;
