import type { LimitCertificate } from "../../core/result/limits-result.ts";
import type { LimitOp } from "../history/op.ts";
import { batchOf, twoReadings } from "./certificate-steps.ts";

/**
 * Window, log, bucket and the counter of two windows, each by its definition on the requests between two readings: none of them still
 * counts as many as the later reading misses. The begin of a counter's window is tried everywhere that no reading rules out.
 */
export function verifyGivenBack(
  { parameters }: LimitCertificate,
  ops: readonly LimitOp[],
  named: readonly LimitOp[],
  windowMs: number,
): string | null {
  const readings = twoReadings(named);
  if (readings === null) return "two readings one after the other are missing";
  const { first, second, fell, others } = readings;
  const [limit, margin] = [Number(parameters["limit"]), Number(parameters["margin"])];
  const missedBefore = limit - (first.requests.remaining ?? 0);
  const since = ops
    .filter((op) => op.headersMs >= first.sentMs && op.sentMs <= second.headersMs)
    .sort((one, other) => one.sentMs - other.sentMs);
  if (since.some((op) => op.outcome !== "admitted")) return "something was refused in between";
  const starts = since.map((op) => op.sentMs);
  const ends = since.map((op) => op.headersMs).sort((a, b) => a - b);
  const from = (ms: number): number => ends.length - below(ends, ms);
  if (from(second.sentMs - windowMs) >= fell) return "the last window explains it";
  const batch = batchOf(ops, others, limit, windowMs);
  const outrun = since.map((op) => from(op.sentMs) - Math.max(0, ((second.sentMs - op.sentMs) * limit) / windowMs - batch));
  if (outrun.some((units) => units >= fell)) return "a bucket explains it";
  for (let beginMs = second.headersMs; beginMs > second.sentMs - windowMs; beginMs -= 250) {
    const share = (atMs: number): number => Math.max(0, 1 - (atMs - beginMs) / windowMs);
    const begun = upTo(starts, beginMs);
    const overlapping = begun - below(ends, beginMs - windowMs);
    // Of all that was sent by an instant of this window.
    const weighAll = (atMs: number, sentUntilMs: number): number => upTo(starts, sentUntilMs) - begun + overlapping * share(atMs);
    const certainNow = since.filter((op) => op.sentMs > beginMs + 2000).map((op) => op.headersMs);
    const certainBefore = since
      .filter((op) => op.sentMs < beginMs - 2000 && op.sentMs > beginMs - windowMs + 2000)
      .map((op) => op.headersMs);
    for (const list of [certainNow, certainBefore]) list.sort((a, b) => a - b);
    // A reading in the window before shows how much that one admitted, less what it weighed of its own predecessor.
    const previous = since.map((op) => {
      const weight = Math.min(1, 1 - (op.sentMs - 2000 - beginMs + windowMs) / windowMs);
      if (op.sentMs < beginMs - windowMs + 2000 || op.headersMs > beginMs - 2000 || op.requests.remaining === null) return 0;
      const before = upTo(starts, op.headersMs) + missedBefore;
      return weight < 1 ? (limit - op.requests.remaining - margin - weight * before) / (1 - weight) : 0;
    });
    const mostPrevious = previous.reduce((most, units) => Math.max(most, units), 0);
    const fits = since.every((op) => {
      if (op.sentMs < beginMs + 2000 || op.requests.remaining === null) return true;
      const weight = share(op.headersMs + 2000);
      const certain = below(certainNow, op.sentMs) + below(certainBefore, op.sentMs) * weight;
      if (op.requests.remaining > limit - Math.max(certain, mostPrevious * weight) + 2) return false;
      // It counts no more than everything that was sent before it, and what the first reading missed already.
      return limit - op.requests.remaining <= weighAll(op.sentMs - 2000, op.headersMs) + missedBefore + margin;
    });
    if (fits && weighAll(second.sentMs, Number.POSITIVE_INFINITY) >= fell)
      return "a counter that weighs the window before explains it";
  }
  return null;
}

/** How many numbers of an ascending list lie below one; the search that accuses has an own one. */
function below(ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of them do not exceed it. */
function upTo(ascending: readonly number[], value: number): number {
  const first = below(ascending, value);
  let count = first;
  while (count < ascending.length && ascending[count]! <= value) count += 1;
  return count;
}
