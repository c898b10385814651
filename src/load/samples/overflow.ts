import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { LoadMetric } from "../../core/result/load-figures.ts";
import type { OutcomeClass } from "../../core/result/load-outcome.ts";
import { addRecord, addTotals, answeredTokens, deliveredTokens, noTotals, type Totals } from "./count-totals.ts";
import { addCountedValues, type CountedValues, countValue, createCountedValues } from "../statistics/counted-values.ts";
import type { LoadRecord } from "./load-record.ts";
import { joinedOutcome } from "./joined-outcome.ts";
import { visitFigures } from "./visit-figures.ts";
import { addShape, addShapes, noShapes, type ShapeCounts } from "./stream-shapes.ts";

/** Records that one run holds at most, of all that sent it together: 1.2 GB for a million. Records after them are counted. */
export const mostRecords = 2_000_000;

/**
 * The counts of records beyond the bound: sums and counted values, by endpoint and by second. Figures of the measured window
 * follow from these as they would from the records; values lie within 0.1 %. Plain data, so that it can come from another
 * thread.
 */
export interface Overflow {
  /** Attempts, those of the warm-up and those that were not sent included. */
  records: number;
  sent: number;
  completed: number;
  planned: number;
  /** Times in flight together. */
  areaMs: number;
  lastEndMs: number;
  /** Tokens that a usage report should show; null where an answer did not say. */
  usedTokens: number | null;
  /** First attempts of the measured window that left within a second of their time. */
  timely: number;
  /** Of the measured window. */
  readonly totals: Map<EndpointId, Totals>;
  readonly figures: Map<string, CountedFigure>;
  readonly lateness: CountedValues;
  readonly firstTokenIntervals: CountedValues;
  /** Of all attempts, none of them 0. */
  readonly outputTokens: Map<EndpointId, CountedValues>;
  /** By second of the profile. */
  readonly seconds: Map<number, OverflowSecond>;
}

export interface CountedFigure {
  readonly metric: LoadMetric;
  readonly endpoint: EndpointId;
  readonly outcome: OutcomeClass;
  readonly values: CountedValues;
  estimated: boolean;
}

/** The part of it that fell into one second. */
export interface OverflowSecond {
  offered: number;
  sent: number;
  ended: number;
  ok: number;
  limited: number;
  failed: number;
  notSent: number;
  readonly ttft: CountedValues;
  readonly dispatch: CountedValues;
  /** Of the measured window, by the second of the end. */
  readonly shapes: ShapeCounts;
}

/** Members that are added up as they are. */
export const overflowSums = ["records", "sent", "completed", "planned", "areaMs", "timely"] as const;
export const secondSums = ["offered", "sent", "ended", "ok", "limited", "failed", "notSent"] as const;

export function createOverflow(): Overflow {
  const sums = { records: 0, sent: 0, completed: 0, planned: 0, areaMs: 0, lastEndMs: 0, usedTokens: 0, timely: 0 };
  return {
    ...sums,
    totals: new Map(),
    figures: new Map(),
    lateness: createCountedValues(),
    firstTokenIntervals: createCountedValues(),
    outputTokens: new Map(),
    seconds: new Map(),
  };
}

/** `startMs`: begin of the profile on the run clock. */
export function countRecord(into: Overflow, record: LoadRecord, startMs: number): void {
  const isSent = record.outcome !== "not-sent";
  const isFirst = record.attempt === 1;
  const at = (atMs: number): OverflowSecond => secondAt(into, Math.max(0, Math.floor((atMs - startMs) / 1000)));
  into.records += 1;
  into.lastEndMs = Math.max(into.lastEndMs, record.endMs);
  into.usedTokens = addOrNull(into.usedTokens, answeredTokens(record));
  if (isFirst) {
    into.planned += 1;
    at(record.intendedMs).offered += 1;
  }
  if (isSent) countSent(into, record, at);
  else at(record.intendedMs).notSent += 1;
  if (record.phase === "measure") countMeasured(into, record, at(record.endMs));
}

function countSent(into: Overflow, record: LoadRecord, at: (atMs: number) => OverflowSecond): void {
  const { outcome } = record;
  into.sent += 1;
  into.areaMs += record.endMs - record.issuedMs;
  at(record.issuedMs).sent += 1;
  if (record.attempt === 1) countValue(at(record.intendedMs).dispatch, Math.max(0, record.issuedMs - record.intendedMs));
  const second = at(record.endMs);
  second.ended += 1;
  if (outcome === "ok") {
    into.completed += 1;
    second.ok += 1;
  } else if (record.status === 429) second.limited += 1;
  else if (outcome !== "interrupted" && outcome !== "left") second.failed += 1;
  if ((outcome === "ok" || outcome === "interrupted" || outcome === "timed-out") && record.firstTokenMs !== null)
    countValue(second.ttft, record.firstTokenMs - record.sentMs);
}

function countMeasured(into: Overflow, record: LoadRecord, second: OverflowSecond): void {
  const { endpoint, outcome, firstTokenMs, firstTokenEarliestMs } = record;
  addRecord(of(into.totals, endpoint, noTotals), record);
  addShape(second.shapes, record);
  const tokens = deliveredTokens(record) ?? 0;
  countValue(of(into.outputTokens, endpoint, createCountedValues), tokens);
  if (record.attempt === 1) {
    const lateMs = Math.max(0, record.issuedMs - record.intendedMs);
    countValue(into.lateness, lateMs);
    if (lateMs <= 1000) into.timely += 1;
  }
  if (firstTokenMs !== null && firstTokenEarliestMs !== null)
    countValue(into.firstTokenIntervals, firstTokenMs - firstTokenEarliestMs);
  const as = joinedOutcome(outcome);
  visitFigures(record, (metric, value, certainty) => {
    // Ends that are known to lie beyond a value are counted apart, as those that nobody waited for.
    const figure = figureOf(into, { metric, endpoint, outcome: certainty === "at-least" ? outcome : as });
    countValue(figure.values, value);
    if (certainty === "estimated") figure.estimated = true;
  });
}

export function addOverflow(into: Overflow, other: Overflow): void {
  for (const sum of overflowSums) into[sum] += other[sum];
  into.lastEndMs = Math.max(into.lastEndMs, other.lastEndMs);
  into.usedTokens = addOrNull(into.usedTokens, other.usedTokens);
  for (const [endpoint, totals] of other.totals) addTotals(of(into.totals, endpoint, noTotals), totals);
  for (const figure of other.figures.values()) {
    const known = figureOf(into, figure);
    addCountedValues(known.values, figure.values);
    if (figure.estimated) known.estimated = true;
  }
  addCountedValues(into.lateness, other.lateness);
  addCountedValues(into.firstTokenIntervals, other.firstTokenIntervals);
  for (const [endpoint, tokens] of other.outputTokens)
    addCountedValues(of(into.outputTokens, endpoint, createCountedValues), tokens);
  for (const [second, added] of other.seconds) {
    const known = secondAt(into, second);
    for (const sum of secondSums) known[sum] += added[sum];
    addCountedValues(known.ttft, added.ttft);
    addCountedValues(known.dispatch, added.dispatch);
    addShapes(known.shapes, added.shapes);
  }
}

function figureOf(into: Overflow, { metric, endpoint, outcome }: Omit<CountedFigure, "values" | "estimated">): CountedFigure {
  return of(into.figures, `${metric}/${endpoint}/${outcome}`, () => ({
    metric,
    endpoint,
    outcome,
    values: createCountedValues(),
    estimated: false,
  }));
}

function secondAt(into: Overflow, second: number): OverflowSecond {
  const none = { offered: 0, sent: 0, ended: 0, ok: 0, limited: 0, failed: 0, notSent: 0 };
  return of(into.seconds, second, () => ({
    ...none,
    ttft: createCountedValues(),
    dispatch: createCountedValues(),
    shapes: noShapes(),
  }));
}

function addOrNull(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other;
}

function of<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}
