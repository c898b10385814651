import { createHash } from "node:crypto";
import { closeSync, fdatasyncSync, openSync, write, writeSync } from "node:fs";
import type { ChainHead } from "../core/result/chain-head.ts";

/** Appends lines to a file while a run goes; every line holds the digest of the line before (`prev`). */
export interface ChainWriter {
  /**
   * Queues one line: a JSON object as text, which becomes one line with its last member `prev`. False when the disk lags behind by
   * more than 16 MiB: wait for `drained` before adding more.
   */
  append(json: string): boolean;
  /** Settles when everything queued so far is in the file; rejects when it could not be written. */
  readonly drained: () => Promise<void>;
  /** Writes what is queued at once, without the event loop: for the last moment of a process. Safe to call at any time. */
  readonly flushSync: () => void;
  /** Writes what is queued and closes; what is appended afterwards is dropped. */
  close(): Promise<void>;
  /** The same without the event loop. */
  closeSync(): void;
  /** Of what was appended until now. */
  readonly head: () => ChainHead;
}

const highWaterBytes = 16 * 1024 * 1024;
const batchBytes = 1024 * 1024;

/** Creates the file, which must not exist yet. Throws the error of the file system. */
export function createChainWriter(path: string): ChainWriter {
  const file = openSync(path, "wx", 0o600);
  let lines = 0;
  let prev: string | null = null;
  let closed = false;
  let failure: Error | null = null;
  const queue: Buffer[] = [];
  let queuedBytes = 0;
  /** Being written by the thread pool at `offset`; kept so that it can be written again at the same place. */
  let batch: Buffer | null = null;
  let offset = 0;
  /** The thread pool still holds the file descriptor, which must not be closed then: another file could get its number. */
  let writing = false;
  let waiting: ((error: Error | null) => void)[] = [];

  const settleWaiting = (): void => {
    const settled = waiting;
    waiting = [];
    for (const settle of settled) settle(failure);
  };

  const takeBatch = (): Buffer => {
    let count = 0;
    let bytes = 0;
    while (count < queue.length && bytes < batchBytes) bytes += queue[count++]?.length ?? 0;
    queuedBytes -= bytes;
    return Buffer.concat(queue.splice(0, count), bytes);
  };

  const pump = (): void => {
    if (writing) return;
    if (queue.length === 0 || failure !== null) {
      settleWaiting();
      return;
    }
    const current = takeBatch();
    batch = current;
    writing = true;
    write(file, current, 0, current.length, offset, (error, written) => {
      writing = false;
      if (closed) {
        closeSync(file);
        return;
      }
      // A synchronous flush has written the batch meanwhile.
      if (batch !== current) {
        pump();
        return;
      }
      batch = null;
      if (error) failure = error;
      else offset += written;
      if (!error && written < current.length) {
        queue.unshift(current.subarray(written));
        queuedBytes += current.length - written;
      }
      pump();
    });
  };

  const flushSync = (): void => {
    if (closed || failure !== null) return;
    const rest = Buffer.concat(batch === null ? queue : [batch, ...queue]);
    batch = null;
    queue.length = 0;
    queuedBytes = 0;
    for (let done = 0; done < rest.length;) {
      const written = writeSync(file, rest, done, rest.length - done, offset);
      done += written;
      offset += written;
    }
    settleWaiting();
  };

  const finish = (): void => {
    closed = true;
    if (!writing) closeSync(file);
  };

  const drained = (): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push((error) => (error === null ? resolve() : reject(error)));
      pump();
    });

  return {
    append(json) {
      if (closed) return true;
      const line = `${json.slice(0, -1)},"prev":${JSON.stringify(prev)}}`;
      prev = digestLine(line);
      lines += 1;
      const bytes = Buffer.from(`${line}\n`);
      queue.push(bytes);
      queuedBytes += bytes.length;
      pump();
      return queuedBytes < highWaterBytes;
    },
    drained,
    flushSync,
    async close() {
      if (closed) return;
      try {
        await drained();
      } finally {
        if (!closed) finish();
      }
    },
    closeSync() {
      if (closed) return;
      flushSync();
      fdatasyncSync(file);
      finish();
    },
    head: () => ({ lines, sha256: prev ?? "" }),
  };
}

/** SHA-256 of a line without its line feed, hexadecimal. */
export function digestLine(line: string | Buffer): string {
  return createHash("sha256").update(line).digest("hex");
}
