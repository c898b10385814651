import { countBelow } from "../../core/sorted.ts";
import type { LoadRecord } from "./load-record.ts";
import { signsOf } from "./signs-of.ts";

export interface Releases {
  /**
   * Whether a silence of this stream ended for the others as well: something came of most whose head had come before it within as
   * much time around its end as lies between `toMs` and the first token, one of them at least being due at another time.
   */
  isAt(stream: LoadRecord, fromMs: number, toMs: number): boolean;
}

/** Requests in flight are looked for among so many that were sent before the silence. */
const mostLookedAt = 256;

/**
 * The ends of pauses, by what they let go. A buffer that holds back each stream by itself lets go of it when it is written, so that those of
 * different ages and lengths do not come together. `chunkMs` is the usual time of a chunk.
 */
export function createReleases(all: readonly LoadRecord[], chunkMs: number): Releases {
  const ordered = all.toSorted((one, other) => one.sentMs - other.sentMs);
  const sent = Float64Array.from(ordered, ({ sentMs }) => sentMs);
  const hasBegun = ({ headersMs }: LoadRecord, byMs: number): boolean => headersMs !== null && headersMs < byMs;
  const dueMs = ({ sentMs, contentEvents }: LoadRecord): number => sentMs + chunkMs * contentEvents;
  return {
    isAt: (stream, fromMs, toMs) => {
      const at = countBelow(sent, fromMs);
      const before = ordered.slice(Math.max(0, at - mostLookedAt), at);
      const others = before.filter((one) => one.endMs >= toMs && hasBegun(one, fromMs) && one.seq !== stream.seq);
      const marginMs = (stream.firstTokenMs ?? toMs) - toMs;
      const untilMs = toMs + 2 * marginMs;
      const released = others.filter((one) => signsOf(one).some((atMs) => atMs >= toMs && atMs < untilMs));
      const isOdd = (one: LoadRecord): boolean => Math.abs(dueMs(one) - dueMs(stream)) > 2 * (untilMs - toMs);
      return 2 * released.length >= others.length && released.some(isOdd);
    },
  };
}
