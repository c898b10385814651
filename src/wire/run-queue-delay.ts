import { closeSync, openSync, readSync } from "node:fs";

/**
 * Milliseconds that this thread has waited for a processor although it was ready to run, so far; null where the system does
 * not tell. Linux counts them in field 2 of schedstat. One reading costs about two microseconds.
 */
export type RunQueueDelay = () => number;

export function openRunQueueDelay(): RunQueueDelay | null {
  try {
    // The link means the thread that opens it.
    const file = openSync("/proc/thread-self/schedstat", "r");
    const buffer = Buffer.alloc(128);
    const read = (): number => {
      const length = readSync(file, buffer, 0, buffer.length, 0);
      return Number(buffer.toString("latin1", 0, length).split(" ")[1]) / 1e6;
    };
    if (Number.isFinite(read())) return read;
    closeSync(file);
  } catch {
    // Another system, or one that hides it.
  }
  return null;
}
