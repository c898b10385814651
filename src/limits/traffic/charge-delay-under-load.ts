/** How long after the end of its answer a request may be charged where many are under way: charges may be settled in batches, ms. */
export const chargeDelayUnderLoadMs = 10_000;
