import type { ServerDifference, ServerTruth } from "../../core/result/second-account.ts";
import type { LoadRecord } from "./load-record.ts";
import { selectRecords } from "./select-records.ts";
import { reportedPercentile } from "../statistics/percentile-estimate.ts";

/**
 * Sets our times beside the server's own account (Server-Timing, llama.cpp `timings`). The difference is network, HTTP and
 * our error on top of what the server reports; a negative one would be impossible and is counted. Null without any account.
 */
export function reconcileServerTimings(records: readonly LoadRecord[]): ServerTruth | null {
  const timed = selectRecords(records, (record) => record.outcome === "ok" && record.serverTimings !== null);
  const [first] = timed;
  if (first?.serverTimings == null) return null;
  const firstToken: number[] = [];
  const decode: number[] = [];
  for (const record of timed) {
    const timings = record.serverTimings;
    if (timings === null || record.firstTokenMs === null) continue;
    if (timings.prefillMs !== null) {
      firstToken.push(record.firstTokenMs - record.sentMs - (timings.queueMs ?? 0) - timings.prefillMs);
    }
    if (timings.decodeMs !== null) decode.push(record.answeredMs - record.firstTokenMs - timings.decodeMs);
  }
  return {
    source: first.serverTimings.source,
    samples: timed.length,
    firstTokenDifferenceMs: spread(firstToken),
    decodeDifferenceMs: spread(decode),
    impossible: firstToken.filter((difference) => difference < 0).length,
  };
}

function spread(values: readonly number[]): ServerDifference | null {
  if (values.length === 0) return null;
  const max = values.reduce((most, value) => Math.max(most, value), -Infinity);
  return { p50: reportedPercentile(values, 50), p99: reportedPercentile(values, 99), max, samples: values.length };
}
