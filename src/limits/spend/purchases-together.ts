/** A cap of whole cents can lie below purchases and above others if together they cost as much; reports are sums of fractions. */
export const leastTogetherCents: number = 2 - 1e-6;

/** So many purchases together at most: the exam sends several times as many, within a minute. */
const mostTogether = 12;

/** Purchases of this price, cents, that are bought for each question; null: so many would cost too little still. */
export function purchasesTogether(price: number): number | null {
  const wanted = Math.ceil(leastTogetherCents / price - 1e-3);
  return wanted >= 1 && wanted <= mostTogether ? wanted : null;
}

/**
 * The room under a cap in which a correct service serves one more purchase, cents: its cost, as much again that the service may
 * set aside, and the whole cent to which it may round a sum.
 */
export function roomForOne(price: number): number {
  return 2 * price + 1;
}
