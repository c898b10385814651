/** A cap of whole cents can lie below one purchase and above another if they cost as much; reports are sums of fractions. */
export const leastPriceCents: number = 2 - 1e-6;
