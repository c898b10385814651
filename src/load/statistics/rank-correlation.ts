/** Spearman's rank correlation, mean ranks for ties. */
export function rankCorrelation(left: readonly number[], right: readonly number[]): number {
  const a = ranks(left);
  const b = ranks(right);
  const mean = (a.length + 1) / 2;
  let covariance = 0;
  let varianceA = 0;
  let varianceB = 0;
  for (let index = 0; index < a.length; index += 1) {
    const da = (a[index] ?? 0) - mean;
    const db = (b[index] ?? 0) - mean;
    covariance += da * db;
    varianceA += da * da;
    varianceB += db * db;
  }
  return varianceA === 0 || varianceB === 0 ? 0 : covariance / Math.sqrt(varianceA * varianceB);
}

function ranks(values: readonly number[]): readonly number[] {
  const order = values.map((value, index) => ({ value, index })).sort((a, b) => a.value - b.value);
  const result = Array.from({ length: values.length }, () => 0);
  for (let start = 0; start < order.length;) {
    let end = start;
    while (end + 1 < order.length && order[end + 1]?.value === order[start]?.value) end += 1;
    for (let position = start; position <= end; position += 1) result[order[position]?.index ?? 0] = (start + end) / 2 + 1;
    start = end + 1;
  }
  return result;
}
