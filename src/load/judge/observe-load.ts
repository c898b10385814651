import type { CacheAudit } from "../../core/result/cache-count.ts";
import type { LeavingCount } from "../../core/result/leaving-count.ts";
import type { Totals } from "../samples/count-totals.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import type { Overflow } from "../samples/overflow.ts";
import { selectRecords } from "../samples/select-records.ts";
import { type ObservedStreams, observeStreams, type StreamObservation } from "../samples/stream-honesty.ts";
import { addShapes, noShapes, type ShapeCounts } from "../samples/stream-shapes.ts";
import type { SummaryInput } from "./summary-input.ts";

interface Observed {
  /** The counts beside the records, of the seconds in which the generator kept up; null if all records were kept. */
  readonly shapes: ShapeCounts | null;
  readonly observations: readonly StreamObservation[];
  /** Streams that a pause explains as well, by the observation that they would be. */
  readonly paused: ObservedStreams["paused"];
}

/** How streams came, in the seconds in which the generator kept up; and connections that closed under a request. */
export function observeLoad(
  input: SummaryInput,
  {
    measured,
    totals,
    leaving,
  }: { readonly measured: readonly LoadRecord[]; readonly totals: Totals; readonly leaving: LeavingCount | null },
): Observed {
  const { records, overflow, seconds, startMs, races, cacheAudit = null } = input;
  const tainted = new Set(seconds.filter((second) => second.tainted).map(({ second }) => second));
  const untainted = selectRecords(measured, (record) => !tainted.has(Math.floor((record.endMs - startMs) / 1000)));
  const shapes = overflow === null ? null : sumShapes(overflow, tainted);
  const { observations: streams, paused } = observeStreams(untainted, records, shapes);
  const others = [...observeTimeOuts(totals, input.profile), ...observeRaces(races), ...observeKeptSlots(leaving)];
  return { shapes, observations: [...streams, ...others, ...observeCache(cacheAudit)], paused };
}

function sumShapes({ seconds }: Overflow, tainted: ReadonlySet<number>): ShapeCounts {
  const all = noShapes();
  for (const [second, { shapes }] of seconds) if (!tainted.has(second)) addShapes(all, shapes);
  return all;
}

/** Closing an idle connection is lawful (RFC 9112 section 9.3); doing it all the time costs every client a connection. */
function observeRaces({ count, outOf }: SummaryInput["races"]): readonly StreamObservation[] {
  if (count < 5 || count < 0.02 * outOf) return [];
  const message =
    "the target closed connections just as they were used again; those requests were sent once more and are not counted as errors";
  return [{ id: "closes-connections", message, count, outOf }];
}

/** Latencies of prompts that were asked before are those of the cache. */
function observeCache(audit: CacheAudit | null): readonly StreamObservation[] {
  if (audit?.verdict !== "cached") return [];
  const message = `the target answers a prompt that it has answered before from a cache of responses (${audit.signs.join("; ")}): latencies of such prompts are not those of a model`;
  return [{ id: "response-cache", message, count: audit.repeated.requests, outOf: audit.repeated.requests }];
}

/** The target goes on with answers that nobody reads. */
function observeKeptSlots(leaving: LeavingCount | null): readonly StreamObservation[] {
  if (leaving?.keepsSlots !== true) return [];
  const message =
    "requests wait the longer for their first token, the more answers were left before them: the slot of a client that goes away stays taken";
  const { few, many } = leaving;
  return [{ id: "kept-slots", message, count: many.requests, outOf: few.requests + many.requests }];
}

/** A deadline of ours, by its name and bound: no error of the target, and no answer either. */
function observeTimeOuts({ outcomes, records }: Totals, { timeoutSeconds }: LoadProfile): readonly StreamObservation[] {
  const count = outcomes["timed-out"] ?? 0;
  if (count === 0) return [];
  const message = `not finished within ${timeoutSeconds} s, the time-out of this profile; percentiles rank them above all that ended`;
  return [{ id: "timed-out", message, count, outOf: records }];
}
