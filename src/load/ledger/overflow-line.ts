import { type EndpointId, endpoints } from "../../core/exchange/endpoint.ts";
import { type Column, ColumnError, packIntegers, packSeries, unpackIntegers, unpackSeries } from "../../core/columns/column.ts";
import { noTotals, type Totals } from "../samples/count-totals.ts";
import { bucketOf, type CountedValues, createCountedValues } from "../statistics/counted-values.ts";
import {
  type CountedFigure,
  createOverflow,
  type Overflow,
  overflowSums,
  type OverflowSecond,
  secondSums,
} from "../samples/overflow.ts";
import { noShapes, shapeSums } from "../samples/stream-shapes.ts";

/** Line of `load.ndjson`: records of one worker that were counted and not kept since the line before. */
export interface OverflowLine extends Pick<Overflow, (typeof overflowSums)[number] | "usedTokens" | "lastEndMs"> {
  readonly kind: "overflow";
  readonly loop: number;
  readonly totals: readonly (readonly [EndpointId, Totals])[];
  readonly figures: readonly (Omit<CountedFigure, "values"> & { readonly values: PackedValues })[];
  readonly lateness: PackedValues;
  readonly firstTokenIntervals: PackedValues;
  readonly outputTokens: readonly (readonly [EndpointId, PackedValues])[];
  readonly seconds: readonly (readonly [number, PackedSecond])[];
}

type PackedSecond = Omit<OverflowSecond, "ttft" | "dispatch"> & { readonly ttft: PackedValues; readonly dispatch: PackedValues };

/** Null for none. */
type PackedValues = {
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  readonly rows: number;
  readonly buckets: Column;
  readonly counts: Column;
} | null;

/** A day: no profile has more seconds. */
const mostSeconds = 86_400;
/** Buckets that there are at all. */
const mostBuckets = 40_000;

export function packOverflow(worker: number, overflow: Overflow): OverflowLine {
  const { totals, figures, lateness, firstTokenIntervals, outputTokens, seconds, ...plain } = overflow;
  return {
    kind: "overflow",
    loop: worker,
    ...plain,
    totals: [...totals],
    figures: [...figures.values()].map((figure) => ({ ...figure, values: packValues(figure.values) })),
    lateness: packValues(lateness),
    firstTokenIntervals: packValues(firstTokenIntervals),
    outputTokens: [...outputTokens].map(([endpoint, values]) => [endpoint, packValues(values)]),
    seconds: [...seconds].map(([second, row]) => [
      second,
      { ...row, ttft: packValues(row.ttft), dispatch: packValues(row.dispatch) },
    ]),
  };
}

/** The same again. Throws a ColumnError for what `packOverflow` cannot have made. */
export function unpackOverflow(line: OverflowLine): Overflow {
  const overflow = createOverflow();
  for (const sum of overflowSums) overflow[sum] = amount(line[sum]);
  overflow.lastEndMs = amount(line.lastEndMs);
  overflow.usedTokens = line.usedTokens === null ? null : amount(line.usedTokens);
  for (const [endpoint, totals] of line.totals) overflow.totals.set(known(endpoint), unpackTotals(totals));
  for (const { metric, endpoint, outcome, estimated, values } of line.figures) {
    if (!isName(metric) || !isName(outcome)) refuse("a figure without a name");
    const key = `${metric}/${known(endpoint)}/${outcome}`;
    overflow.figures.set(key, { metric, endpoint, outcome, estimated, values: unpackValues(values) });
  }
  Object.assign(overflow.lateness, unpackValues(line.lateness));
  Object.assign(overflow.firstTokenIntervals, unpackValues(line.firstTokenIntervals));
  for (const [endpoint, values] of line.outputTokens) overflow.outputTokens.set(known(endpoint), unpackValues(values));
  for (const [second, row] of line.seconds) {
    if (amount(second) > mostSeconds) refuse("a second that no profile has");
    overflow.seconds.set(second, unpackSecond(row));
  }
  return overflow;
}

function unpackSecond(row: PackedSecond): OverflowSecond {
  const shapes = noShapes();
  for (const sum of shapeSums) shapes[sum] = amount(row.shapes[sum]);
  for (const place of shapes.matches.keys()) shapes.matches[place] = amount(row.shapes.matches[place]);
  const second = { ...row, ttft: unpackValues(row.ttft), dispatch: unpackValues(row.dispatch), shapes };
  for (const sum of secondSums) amount(second[sum]);
  return second;
}

function unpackTotals({ outcomes, notSent, outputTokens, ...rest }: Totals): Totals {
  for (const count of [...Object.values(rest), ...Object.values(outcomes), ...Object.values(notSent)]) amount(count);
  const tokens = outputTokens === null ? null : amount(outputTokens);
  return { ...noTotals(), ...rest, outcomes: { ...outcomes }, notSent: { ...notSent }, outputTokens: tokens };
}

function packValues({ count, sum, min, max, buckets }: CountedValues): PackedValues {
  if (count === 0) return null;
  const sorted = [...buckets].sort(([one], [other]) => one - other);
  const [at, counts] = [sorted.map(([bucket]) => bucket), sorted.map(([, times]) => times)];
  return { sum, min, max, rows: sorted.length, buckets: packSeries(at), counts: packIntegers(counts) };
}

function unpackValues(packed: PackedValues): CountedValues {
  const values = createCountedValues();
  if (packed === null) return values;
  const { sum, min, max, rows } = packed;
  if (!Number.isInteger(rows) || rows < 1 || rows > mostBuckets) refuse("more buckets than there are");
  if (![sum, min, max].every(Number.isFinite) || min > max) refuse("extremes that no values have");
  const counts = unpackIntegers(packed.counts, rows);
  for (const [row, bucket] of unpackSeries(packed.buckets, rows).entries()) {
    const times = counts[row] ?? 0;
    if (bucket === null || bucket < 0 || bucketOf(bucket) !== bucket || times < 1 || values.buckets.has(bucket)) {
      return refuse("a bucket that is none, or without a count");
    }
    values.buckets.set(bucket, times);
    values.count += times;
  }
  return Object.assign(values, { sum, min, max });
}

function known(endpoint: EndpointId): EndpointId {
  return Object.hasOwn(endpoints, endpoint) ? endpoint : refuse("an endpoint that is not known");
}

function isName(text: string): boolean {
  return /^[a-z-]{2,20}$/.test(text);
}

function amount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : refuse("an amount that is none");
}

function refuse(what: string): never {
  throw new ColumnError(`what was counted holds ${what}`);
}
