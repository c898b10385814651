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
  const since = ops.filter((op) => op.headersMs >= first.sentMs && op.sentMs <= second.headersMs);
  if (since.some((op) => op.outcome !== "admitted")) return "something was refused in between";
  const from = (ms: number): number => since.filter((op) => op.headersMs >= ms).length;
  if (from(second.sentMs - windowMs) >= fell) return "the last window explains it";
  const batch = batchOf(ops, others, limit, windowMs);
  const outrun = since.map((op) => from(op.sentMs) - Math.max(0, ((second.sentMs - op.sentMs) * limit) / windowMs - batch));
  if (outrun.some((units) => units >= fell)) return "a bucket explains it";
  for (let beginMs = second.headersMs; beginMs > second.sentMs - windowMs; beginMs -= 250) {
    const weigh = (atMs: number, counted: readonly LimitOp[]): number =>
      counted.filter((op) => op.sentMs > beginMs).length +
      counted.filter((op) => op.sentMs <= beginMs && op.headersMs >= beginMs - windowMs).length *
        Math.max(0, 1 - (atMs - beginMs) / windowMs);
    // A reading in the window before shows how much that one admitted, less what it weighed of its own predecessor.
    const previous = since.map((op) => {
      const weight = Math.min(1, 1 - (op.sentMs - 2000 - beginMs + windowMs) / windowMs);
      if (op.sentMs < beginMs - windowMs + 2000 || op.headersMs > beginMs - 2000 || op.requests.remaining === null) return 0;
      const before = since.filter((one) => one.sentMs <= op.headersMs).length + missedBefore;
      return weight < 1 ? (limit - op.requests.remaining - margin - weight * before) / (1 - weight) : 0;
    });
    const fits = since.every((op) => {
      if (op.sentMs < beginMs + 2000 || op.requests.remaining === null) return true;
      const certain = since.filter(
        (one) => one.headersMs < op.sentMs && Math.abs(one.sentMs - beginMs) > 2000 && one.sentMs > beginMs - windowMs + 2000,
      );
      if (op.requests.remaining > limit - weigh(op.headersMs + 2000, certain) + 2) return false;
      const share = Math.max(0, 1 - (op.headersMs + 2000 - beginMs) / windowMs);
      if (op.requests.remaining > limit - Math.max(...previous) * share + 2) return false;
      // It counts no more than everything that was sent before it, and what the first reading missed already.
      const sent = since.filter((one) => one.sentMs <= op.headersMs);
      return limit - op.requests.remaining <= weigh(op.sentMs - 2000, sent) + missedBefore + margin;
    });
    if (fits && weigh(second.sentMs, since) >= fell) return "a counter that weighs the window before explains it";
  }
  return null;
}
