/**
 * One-sided p value of Fisher's exact test: the probability that of the first row of a table of two by two as many as `a`, or more, fall
 * into the first column by chance, all margins given.
 */
export function fisherExact(a: number, b: number, c: number, d: number): number {
  const [row, column, all] = [a + b, a + c, a + b + c + d];
  const most = Math.min(row, column);
  const allWays = logChoose(all, row);
  let sum = 0;
  for (let count = a; count <= most; count += 1) {
    sum += Math.exp(logChoose(column, count) + logChoose(all - column, row - count) - allWays);
  }
  return Math.min(1, sum);
}

function logChoose(from: number, take: number): number {
  if (take < 0 || take > from) return Number.NEGATIVE_INFINITY;
  let sum = 0;
  for (let index = 1; index <= take; index += 1) sum += Math.log((from - take + index) / index);
  return sum;
}
