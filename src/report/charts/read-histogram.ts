import { decodeFromCompressedBase64 } from "hdr-histogram-js";
import type { LoadDistribution } from "../../core/result/load-figures.ts";

/** Point of a quantile function: fraction of the samples at or below `value`. */
export interface QuantilePoint {
  readonly fraction: number;
  readonly value: number;
}

/** Samples that must lie beyond a quantile before it is drawn. */
const samplesBeyond = 10;

/**
 * Quantiles at the given fractions, in the unit of the distribution, from its HdrHistogram (recorded in thousandths of the
 * unit); from its percentile estimates when there is none or it cannot be read. Stops where fewer than ten samples lie
 * beyond, but not before the highest percentile that is reported.
 */
export function readQuantiles(distribution: LoadDistribution, fractions: readonly number[]): readonly QuantilePoint[] {
  const highest = Math.max(
    0.5,
    ...distribution.percentiles.flatMap(({ percentile, value }) => (value === null ? [] : [percentile / 100])),
  );
  const shown = fractions.filter((fraction) => distribution.count * (1 - fraction) >= samplesBeyond || fraction <= highest);
  const histogram = decode(distribution.histogram);
  if (histogram !== null)
    return shown.map((fraction) => ({ fraction, value: histogram.getValueAtPercentile(fraction * 100) / 1000 }));
  return distribution.percentiles.flatMap(({ percentile, value }) =>
    value === null ? [] : [{ fraction: percentile / 100, value }],
  );
}

function decode(text: string | null): { getValueAtPercentile(percentile: number): number } | null {
  if (text === null) return null;
  try {
    const histogram = decodeFromCompressedBase64(text, 32, false);
    return histogram.totalCount > 0 ? histogram : null;
  } catch {
    return null;
  }
}
