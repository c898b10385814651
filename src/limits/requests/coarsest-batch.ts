/** The coarsest batch in which a lawful bucket is assumed to refill, ms. */
export const coarsestBatchMs = 12_000;
