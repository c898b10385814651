import { ascending, countBelow } from "../../core/sorted.ts";
import type { LoadRecord } from "./load-record.ts";
import { contentSpan } from "./stream-shapes.ts";
import { createReleases } from "./releases.ts";
import { signsOf } from "./signs-of.ts";

/** A time in which a stream brought nothing although it was being written, on the run clock. */
interface Silence {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The part of a silence at each of its ends that says nothing: what a pause held back arrives over some time. */
const margin = 0.1;

/**
 * How many of these streams came in pieces that a pause of the target or of this machine explains as well: while they were silent nothing
 * of any other request arrived, and either another stream that was being written stood still too, or its end let go of requests that were
 * due at other times (`createReleases`). Streams alone, or all held back, show no pause.
 *
 * @param suspects streams that came late or in clumps
 * @param streams whole streams of that length, the suspects among them
 * @param all requests of the whole profile
 */
export function countPaused(suspects: readonly LoadRecord[], streams: readonly LoadRecord[], all: readonly LoadRecord[]): number {
  if (suspects.length === 0) return 0;
  const isSuspect = new Set(suspects);
  const others = streams.filter((record) => !isSuspect.has(record));
  const chunkMs = usualChunkMs(others);
  if (chunkMs === null) return 0;
  const signs = ascending(all.flatMap(signsOf));
  const begins = ascending(others.map(({ firstTokenMs, answeredMs }) => firstTokenMs ?? answeredMs));
  const ends = ascending(others.map(({ answeredMs }) => answeredMs));
  const releases = createReleases(all, chunkMs);
  return suspects.filter((suspect) => {
    const silences = silencesOf(suspect, chunkMs);
    const own = signsOf(suspect);
    const isPause = ({ fromMs, toMs }: Silence): boolean => {
      const foreign = countBetween(signs, fromMs, toMs) - own.filter((atMs) => atMs >= fromMs && atMs < toMs).length;
      // In a silence no stream begins or ends: those that began before it and ended after it stood still.
      const stoodStill = countBelow(begins, fromMs) > countBelow(ends, toMs);
      return foreign === 0 && (stoodStill || releases.isAt(suspect, fromMs, toMs));
    };
    return silences.length > 0 && 2 * silences.filter(isPause).length > silences.length;
  }).length;
}

/** Of a stream in clumps the times between them, of any other the time in which its chunks were due before the first one came. */
function silencesOf(record: LoadRecord, chunkMs: number): readonly Silence[] {
  const { firstTokenMs, sentMs, contentEvents, groups, middleGapMs } = record;
  if (firstTokenMs === null) return [];
  if (middleGapMs !== null) {
    return groups.slice(1).flatMap(({ atMs }, index) => within(groups[index]!.atMs, atMs, middleGapMs / 2));
  }
  return within(Math.max(sentMs, firstTokenMs - chunkMs * (contentEvents - 1)), firstTokenMs, 0);
}

/** Nothing where the time is shorter than `leastMs`. */
function within(fromMs: number, toMs: number, leastMs: number): readonly Silence[] {
  const spanMs = toMs - fromMs;
  return spanMs <= leastMs ? [] : [{ fromMs: fromMs + margin * spanMs, toMs: toMs - margin * spanMs }];
}

/** Median time a chunk takes in streams that came as they were written; null: there are none. */
function usualChunkMs(streams: readonly LoadRecord[]): number | null {
  const times = streams.map((record) => contentSpan(record) / (record.contentEvents - 1)).sort((one, other) => one - other);
  return times[Math.floor(times.length / 2)] ?? null;
}

function countBetween(sorted: Float64Array, fromMs: number, toMs: number): number {
  return countBelow(sorted, toMs) - countBelow(sorted, fromMs);
}
