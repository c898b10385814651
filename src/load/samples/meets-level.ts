import type { ServiceLevel } from "../profile/load-profile.ts";
import type { LoadRecord } from "./load-record.ts";

type Judged = Pick<
  LoadRecord,
  "outcome" | "stream" | "sentMs" | "intendedMs" | "firstEventMs" | "firstTokenMs" | "answeredMs" | "endMs"
>;

/** Whether an answer with such a speed meets every bound of the service level; `maybeGood`: nobody knows. */
export function meetsLevel(
  record: Judged,
  { tpotMs, tpotEstimated }: Pick<LoadRecord, "tpotMs" | "tpotEstimated">,
  slo: ServiceLevel,
): Pick<LoadRecord, "good" | "maybeGood"> {
  const { outcome } = record;
  if (outcome === "timed-out") return { good: false, maybeGood: mayHaveMet(record, slo) };
  const [earliest, latest] = rangeOfFirstToken(record);
  if (outcome !== "ok" || !isInTime(record, slo, earliest)) return { good: false, maybeGood: false };
  if (!isInTime(record, slo, latest)) return { good: false, maybeGood: true };
  // A speed that is an estimate decides nothing.
  if (slo.tpotMs !== null && tpotMs !== null && tpotEstimated) return { good: false, maybeGood: true };
  return { good: slo.tpotMs === null || tpotMs === null || tpotMs <= slo.tpotMs, maybeGood: false };
}

function isInTime(record: Judged, { ttftMs, userLatencyMs }: ServiceLevel, firstTokenMs: number): boolean {
  if (ttftMs !== null && record.stream !== null && firstTokenMs - record.sentMs > ttftMs) return false;
  return userLatencyMs === null || record.answeredMs - record.intendedMs <= userLatencyMs;
}

/**
 * The first token came at these instants at the earliest and at the latest. Events of an unknown form hold it somewhere; a stream without any
 * token is no good answer where time to first token is promised.
 */
function rangeOfFirstToken({ firstTokenMs, firstEventMs, endMs, stream }: Judged): readonly [number, number] {
  if (firstTokenMs !== null) return [firstTokenMs, firstTokenMs];
  return stream?.ownForm === true ? [firstEventMs ?? endMs, endMs] : [Infinity, Infinity];
}

/** It was given up before it missed a bound. */
function mayHaveMet({ endMs, sentMs, intendedMs, firstTokenMs, stream }: Judged, slo: ServiceLevel): boolean {
  if (slo.ttftMs !== null && stream !== null && (firstTokenMs ?? endMs) - sentMs > slo.ttftMs) return false;
  return slo.userLatencyMs === null || endMs - intendedMs <= slo.userLatencyMs;
}
