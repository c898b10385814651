import { closeSync, openSync, readSync } from "node:fs";

/**
 * Milliseconds that this thread has waited for a processor although it was ready to run, so far; null where the system does
 * not say. Linux counts them in field 2 of schedstat. One reading costs about a microsecond.
 */
type RunQueueDelay = () => number;

let shared: { readonly read: RunQueueDelay | null } | null = null;

/** The delay of the calling thread. The file is opened once and stays open. */
export function runQueueDelayOfThread(): RunQueueDelay | null {
  shared ??= { read: openRunQueueDelay() };
  return shared.read;
}

function openRunQueueDelay(): RunQueueDelay | null {
  try {
    // The link means the thread that opens it.
    const file = openSync("/proc/thread-self/schedstat", "r");
    const buffer = Buffer.alloc(128);
    const read = (): number => {
      const length = readSync(file, buffer, 0, buffer.length, 0);
      return readSecondField(buffer, length) / 1e6;
    };
    if (Number.isFinite(read())) return read;
    closeSync(file);
  } catch {
    // Another system, or one that hides it.
  }
  return null;
}

/** NaN when there is none. Byte by byte: this runs once a turn of the loop, and a text that is split would cost as much again. */
function readSecondField(bytes: Buffer, length: number): number {
  const space = bytes.indexOf(32);
  let value = space < 0 || space + 1 >= length ? Number.NaN : 0;
  for (let at = space + 1; at < length; at += 1) {
    const digit = (bytes[at] ?? 0) - 48;
    if (digit < 0 || digit > 9) break;
    value = 10 * value + digit;
  }
  return value;
}
