/** How long after the end of its answer a request may be charged. */
export const chargeDelayMs = 2000;
