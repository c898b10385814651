import { createHash } from "node:crypto";
import { closeSync, fdatasyncSync, openSync, write, writeSync } from "node:fs";
import type { ChainHead } from "../core/result/chain-head.ts";

const highWaterBytes = 16 * 1024 * 1024;
const batchBytes = 1024 * 1024;

/** Appends lines to a file while a run goes; every line holds the digest of the line before (`prev`). */
export class ChainWriter {
  readonly #file: number;
  #lines = 0;
  #prev: string | null = null;
  #closed = false;
  #failure: Error | null = null;
  readonly #queue: Buffer[] = [];
  #queuedBytes = 0;
  /** Being written by the thread pool at `#offset`; kept so that it can be written again at the same place. */
  #batch: Buffer | null = null;
  #offset = 0;
  /** The thread pool still holds the file descriptor, which must not be closed then: another file could get its number. */
  #writing = false;
  #waiting: ((error: Error | null) => void)[] = [];

  /** Creates the file, which must not exist yet. Throws the error of the file system. */
  constructor(path: string) {
    this.#file = openSync(path, "wx", 0o600);
  }

  /**
   * Queues one line: a JSON object as text, which becomes one line with its last member `prev`. False when the disk lags behind by
   * more than 16 MiB: wait for `drained` before adding more.
   */
  append(json: string): boolean {
    if (this.#closed) return true;
    const line = `${json.slice(0, -1)},"prev":${JSON.stringify(this.#prev)}}`;
    this.#prev = digestLine(line);
    this.#lines += 1;
    const bytes = Buffer.from(`${line}\n`);
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length;
    this.#pump();
    return this.#queuedBytes < highWaterBytes;
  }

  /** Settles when everything queued so far is in the file; rejects when it could not be written. */
  drained(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push((error) => (error === null ? resolve() : reject(error)));
      this.#pump();
    });
  }

  /** Writes what is queued at once, without the event loop: for the last moment of a process. Safe to call at any time. */
  flushSync(): void {
    if (this.#closed || this.#failure !== null) return;
    const rest = Buffer.concat(this.#batch === null ? this.#queue : [this.#batch, ...this.#queue]);
    this.#batch = null;
    this.#queue.length = 0;
    this.#queuedBytes = 0;
    for (let done = 0; done < rest.length;) {
      const written = writeSync(this.#file, rest, done, rest.length - done, this.#offset);
      done += written;
      this.#offset += written;
    }
    this.#settleWaiting();
  }

  /** Writes what is queued and closes; what is appended afterwards is dropped. */
  async close(): Promise<void> {
    if (this.#closed) return;
    try {
      await this.drained();
    } finally {
      this.#finish();
    }
  }

  /** The same without the event loop. */
  closeSync(): void {
    if (this.#closed) return;
    this.flushSync();
    fdatasyncSync(this.#file);
    this.#finish();
  }

  /** The head over all lines that were appended until now. */
  head(): ChainHead {
    return { lines: this.#lines, sha256: this.#prev ?? "" };
  }

  #pump(): void {
    if (this.#writing) return;
    if (this.#queue.length === 0 || this.#failure !== null) {
      this.#settleWaiting();
      return;
    }
    const current = this.#takeBatch();
    this.#batch = current;
    this.#writing = true;
    write(this.#file, current, 0, current.length, this.#offset, (error, written) => this.#afterWrite(current, error, written));
  }

  #afterWrite(current: Buffer, error: Error | null, written: number): void {
    this.#writing = false;
    if (this.#closed) {
      closeSync(this.#file);
      return;
    }
    // A synchronous flush may have written the batch meanwhile.
    if (this.#batch === current) {
      this.#batch = null;
      if (error === null) this.#offset += written;
      else this.#failure = error;
      if (error === null && written < current.length) {
        this.#queue.unshift(current.subarray(written));
        this.#queuedBytes += current.length - written;
      }
    }
    this.#pump();
  }

  #takeBatch(): Buffer {
    let count = 0;
    let bytes = 0;
    while (count < this.#queue.length && bytes < batchBytes) bytes += this.#queue[count++]?.length ?? 0;
    this.#queuedBytes -= bytes;
    return Buffer.concat(this.#queue.splice(0, count), bytes);
  }

  #settleWaiting(): void {
    const settled = this.#waiting;
    this.#waiting = [];
    for (const settle of settled) settle(this.#failure);
  }

  #finish(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (!this.#writing) closeSync(this.#file);
  }
}

/** SHA-256 of a line without its line feed, hexadecimal. */
export function digestLine(line: string | Buffer): string {
  return createHash("sha256").update(line).digest("hex");
}
