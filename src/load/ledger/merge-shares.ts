import type { LoadSecond } from "../../core/result/load-figures.ts";
import type { ConversationCounts } from "../../core/result/load-result.ts";
import type { HealthSecond } from "../generator/generator-health.ts";
import { addOverflow, createOverflow, type Overflow } from "../samples/overflow.ts";
import type { ShareResult } from "./share-result.ts";
import { selectRecords } from "../samples/select-records.ts";
import { createSecondSeries } from "../generator/second-series.ts";

/** The measurement of all workers of a profile, and its course. */
export interface MergedShares extends ShareResult {
  readonly seconds: readonly LoadSecond[];
}

/**
 * One result of what one or several workers measured. Records are put in order of completion; a second is as busy and as late as the
 * busiest worker was in it, so that one starved worker taints it; requests in flight are summed from the counts of every worker.
 */
export function mergeShares(shares: readonly ShareResult[]): MergedShares {
  const [first] = shares;
  if (first === undefined) throw new RangeError("there is nothing to merge");
  if (shares.length === 1) return { ...first, seconds: replaySeconds(first, first.startMs).seconds() };
  const records = shares.flatMap((share) => share.records).sort((a, b) => a.endMs - b.endMs);
  const health = mergeHealth(shares.map((share) => share.health));
  const overflow = mergeOverflow(shares);
  const sum = (value: (share: ShareResult) => number): number => shares.reduce((total, share) => total + value(share), 0);
  const endMs = Math.max(...shares.map((share) => share.endMs));
  // A worker that was stopped by another has its reason: the first to be reported.
  const stopReason = shares.find((share) => share.stopReason !== null)?.stopReason ?? null;
  // Workers of a search take the same decisions; one that was stopped may have missed the last of them.
  const search = shares.reduce((longest, share) => (share.rates.length > longest.rates.length ? share : longest));
  return {
    records,
    overflow,
    seconds: replaySeconds({ records, overflow, health }, first.startMs).seconds(),
    areaMs: sum((share) => share.areaMs),
    health,
    planned: sum((share) => share.planned),
    retried: sum((share) => share.retried),
    races: { count: sum((share) => share.races.count), outOf: sum((share) => share.races.outOf) },
    ...addConversations(shares),
    startMs: first.startMs,
    fromMs: first.fromMs,
    toMs: Math.max(...shares.map((share) => share.toMs)),
    endMs,
    rates: search.rates,
    ...(search.lengthsMs === undefined ? {} : { lengthsMs: search.lengthsMs }),
    stopReason,
  };
}

/** Of a share that was lost nobody knows how its conversations ended: then nothing is said of all. */
function addConversations(shares: readonly ShareResult[]): Pick<ShareResult, "conversations"> {
  const counts = shares.flatMap(({ conversations }) => conversations ?? []);
  if (counts.length < shares.length) return {};
  const sum = (member: keyof ConversationCounts): number => counts.reduce((total, count) => total + count[member], 0);
  return {
    conversations: {
      planned: sum("planned"),
      completed: sum("completed"),
      cancelled: sum("cancelled"),
      unfinished: sum("unfinished"),
      notSent: sum("notSent"),
    },
  };
}

function mergeOverflow(shares: readonly ShareResult[]): Overflow | null {
  const counted = shares.flatMap((share) => share.overflow ?? []);
  if (counted.length === 0) return null;
  const all = createOverflow();
  for (const one of counted) addOverflow(all, one);
  return all;
}

/** Second by second the worst of all workers; times on the run queue are added up. */
function mergeHealth(workers: readonly (readonly HealthSecond[])[]): readonly HealthSecond[] {
  const merged = new Map<number, HealthSecond>();
  for (const sample of workers.flat()) {
    const known = merged.get(sample.second);
    merged.set(
      sample.second,
      known === undefined
        ? sample
        : {
            second: sample.second,
            loopUtilization: Math.max(known.loopUtilization, sample.loopUtilization),
            loopDelayMaxMs: Math.max(known.loopDelayMaxMs, sample.loopDelayMaxMs),
            runDelayMs: known.runDelayMs === null ? sample.runDelayMs : known.runDelayMs + (sample.runDelayMs ?? 0),
            ...(known.heldMs !== undefined && sample.heldMs !== undefined && { heldMs: Math.max(known.heldMs, sample.heldMs) }),
          },
    );
  }
  return [...merged.values()].sort((a, b) => a.second - b.second);
}

/** The series as one worker would have counted it, from the sends and ends of all. */
function replaySeconds(
  { records, overflow, health }: Pick<ShareResult, "records" | "overflow" | "health">,
  startMs: number,
): ReturnType<typeof createSecondSeries> {
  const series = createSecondSeries(startMs);
  const sends = selectRecords(records, (record) => record.outcome !== "not-sent").toSorted((a, b) => a.issuedMs - b.issuedMs);
  let next = 0;
  for (const record of records) {
    for (let send = sends[next]; send !== undefined && send.issuedMs <= record.endMs; send = sends[next]) {
      series.sent(send.issuedMs);
      next += 1;
    }
    if (record.attempt === 1) series.due(record.intendedMs);
    if (record.outcome !== "not-sent") series.left(record.endMs);
    series.recorded(record);
  }
  if (overflow !== null) series.overflow(overflow.seconds);
  for (const sample of health) series.health(sample);
  return series;
}
