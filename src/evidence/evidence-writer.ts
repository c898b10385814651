import { closeSync, fdatasyncSync, openSync, write, writeSync } from "node:fs";
import type { Exchange } from "../core/exchange/exchange.ts";
import { digestLine, formatLine, type EvidenceEnd, type EvidenceHeader } from "./evidence-line.ts";

/** Appends exchanges to `evidence.ndjson` while the run goes. */
export interface EvidenceWriter {
  /** Queues one line. False when the disk lags behind by more than 16 MiB: wait for `drained` before sending more. */
  append(exchange: Exchange): boolean;
  /** Settles when everything queued so far is in the file; rejects when it could not be written. */
  drained(): Promise<void>;
  /** Writes what is queued at once, without the event loop: for the last moment of a process. Safe to call at any time. */
  flushSync(): void;
  /** Writes the end line and closes; further calls do nothing. */
  close(end: { readonly interrupted: boolean }): Promise<void>;
  /** The same without the event loop. */
  closeSync(end: { readonly interrupted: boolean }): void;
  readonly exchanges: number;
}

const highWaterBytes = 16 * 1024 * 1024;
const batchBytes = 1024 * 1024;

/** Creates the file, which must not exist yet, and writes the header. Throws the error of the file system. */
export function createEvidenceWriter(path: string, header: EvidenceHeader): EvidenceWriter {
  const file = openSync(path, "wx", 0o600);
  let prev: string | null = null;
  let exchanges = 0;
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

  const enqueue = (content: EvidenceHeader | EvidenceEnd | Exchange): void => {
    const line = formatLine(content, prev);
    prev = digestLine(line);
    const bytes = Buffer.from(`${line}\n`);
    queue.push(bytes);
    queuedBytes += bytes.length;
  };

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

  enqueue(header);
  pump();
  return {
    append(exchange) {
      if (closed) return true;
      exchanges += 1;
      enqueue(exchange);
      pump();
      return queuedBytes < highWaterBytes;
    },
    drained: () =>
      new Promise((resolve, reject) => {
        waiting.push((error) => (error === null ? resolve() : reject(error)));
        pump();
      }),
    flushSync,
    async close({ interrupted }) {
      if (closed) return;
      enqueue({ kind: "end", exchanges, interrupted });
      try {
        await this.drained();
      } finally {
        if (!closed) finish();
      }
    },
    closeSync({ interrupted }) {
      if (closed) return;
      enqueue({ kind: "end", exchanges, interrupted });
      flushSync();
      fdatasyncSync(file);
      finish();
    },
    get exchanges() {
      return exchanges;
    },
  };
}
