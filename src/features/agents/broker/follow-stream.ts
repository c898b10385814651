import { setTimeout as delay } from "node:timers/promises";
import type { Redis } from "ioredis";

/** Fields of one entry of a stream. */
export type StreamEntry = Readonly<Record<string, string>>;

/** Entries that one answer may hold: what waits in memory is bounded. */
const mostEntries = 64;
const blockMs = 1000;

/**
 * Hands over every entry of a stream from its beginning on, in order, until the signal aborts; `done` is called with the id of
 * the last entry that was handed over. The connection serves nothing else. Rejects only with what `take` throws.
 */
export async function followStream(
  redis: Redis,
  key: string,
  take: (entry: StreamEntry) => void,
  options: { readonly signal: AbortSignal; readonly done?: (id: string) => void },
): Promise<void> {
  const { signal, done } = options;
  let last = "0-0";
  while (!signal.aborted) {
    let read: Awaited<ReturnType<Redis["xread"]>>;
    try {
      read = await redis.xread("COUNT", mostEntries, "BLOCK", blockMs, "STREAMS", key, last);
    } catch {
      // The connection was closed, or the server is loading its data: the caller hears of both by other ways.
      if (signal.aborted) return;
      await delay(50);
      continue;
    }
    for (const [, entries] of read ?? []) {
      for (const [id, fields] of entries) {
        if (signal.aborted) return;
        last = id;
        take(readFields(fields));
      }
    }
    if (read !== null) done?.(last);
  }
}

function readFields(fields: readonly string[]): StreamEntry {
  const entry: Record<string, string> = {};
  for (let index = 0; index + 1 < fields.length; index += 2) entry[fields[index] ?? ""] = fields[index + 1] ?? "";
  return entry;
}
