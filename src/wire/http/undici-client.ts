import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { Client, type Dispatcher, errors } from "undici";
import type { HeaderReader } from "./header-reader.ts";
import type { SlotClient, SlotRequest, UploadPart } from "./slot-client.ts";
import type { Abortable, ResponseHandler } from "./response-handler.ts";
import { ConnectionClosedError } from "./transport-error.ts";

export interface UndiciClientOptions {
  readonly origin: URL;
  /** Idle time after which we close a connection, unless the server announces one. */
  readonly keepAliveMs: number;
  readonly readHeaders: HeaderReader;
  readonly reading: ReadInProgress;
  readonly connect: () => Promise<Socket>;
}

/**
 * The network read that is being handed out, of whichever response: pieces of one read share its memory, and reads do not
 * interleave. Kept once for all, as every response would keep the memory of its latest read until the next one.
 */
export interface ReadInProgress {
  of: ResponseHandler | null;
  memory: ArrayBufferLike | null;
}

/** undici, for all that is judged: a client that others use and trust. A Pool would not say which connection carries a request. */
export class UndiciClient implements SlotClient {
  readonly #client: Client;
  readonly #options: UndiciClientOptions;

  constructor(options: UndiciClientOptions) {
    this.#options = options;
    this.#client = new Client(options.origin.origin, {
      pipelining: 1,
      // Deadlines are kept by the exchange: undici's timers tick once in half a second.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: options.keepAliveMs,
      maxHeaderSize: 65_536,
      connect: (_options, callback) => void handOver(options.connect, callback),
    });
  }

  dispatch({ method, path, fields, body, part, holdMs }: SlotRequest, handler: ResponseHandler): void {
    const { readHeaders, reading } = this.#options;
    const receiver = new UndiciReceiver(handler, readHeaders, reading);
    const parts = body === null ? null : partsOf(body, part, holdMs);
    if (parts === null) {
      this.#client.dispatch({ method, path, headers: fields.sent, body }, receiver);
      return;
    }
    const headers = [...fields.sent, "content-length", String(body!.length)];
    this.#client.dispatch({ method, path, headers, body: Readable.from(parts) }, receiver);
  }

  async destroy(reason: Error): Promise<void> {
    await this.#client.destroy(reason);
  }
}

/** Implements the callbacks with raw header fields: they keep order, spelling and repetitions, and cost less than parsed ones. */
class UndiciReceiver implements Dispatcher.DispatchHandler, Abortable {
  readonly #handler: ResponseHandler;
  readonly #readHeaders: HeaderReader;
  readonly #reading: ReadInProgress;
  #abort: ((error?: Error) => void) | null = null;

  constructor(handler: ResponseHandler, readHeaders: HeaderReader, reading: ReadInProgress) {
    this.#handler = handler;
    this.#readHeaders = readHeaders;
    this.#reading = reading;
  }

  abort(error: Error): void {
    this.#abort?.(error);
  }

  onConnect(abort: (error?: Error) => void): void {
    this.#abort = abort;
    this.#handler.onConnect(this);
  }

  onHeaders(status: number, rawHeaders: Buffer[]): boolean {
    // Interim responses (RFC 9110 section 15.2) are not the answer.
    if (status < 200) return true;
    this.#beginRead(rawHeaders[0]?.buffer ?? null);
    this.#handler.onHead(status, this.#readHeaders(rawHeaders));
    return true;
  }

  onData(chunk: Buffer): boolean {
    // One read may hold several chunks of the transfer coding: they arrived together and share the stamp.
    const { of, memory } = this.#reading;
    if (of !== this.#handler || memory !== chunk.buffer) this.#beginRead(chunk.buffer);
    this.#handler.onData(chunk, true);
    return true;
  }

  onComplete(): void {
    this.#endRead();
    this.#handler.onComplete();
  }

  onError(error: Error): void {
    this.#endRead();
    // A body that broke off is no malformed one; undici says so of connections that were not to be kept.
    const brokeOff = error instanceof errors.HTTPParserError && error.message.includes("Invalid EOF state");
    this.#handler.onError(brokeOff ? new ConnectionClosedError() : error);
  }

  #beginRead(memory: ArrayBufferLike | null): void {
    this.#reading.of = this.#handler;
    this.#reading.memory = memory;
    this.#handler.onRead(memory?.byteLength ?? null);
  }

  #endRead(): void {
    if (this.#reading.of !== this.#handler) return;
    this.#reading.of = null;
    this.#reading.memory = null;
  }
}

/** Time for the bytes to arrive before the connection ends, ms. */
const lingerMs = 50;

/** A body that is not written at once; null: it is. */
function partsOf(body: Buffer, part: UploadPart | undefined, holdMs: number | undefined): AsyncIterable<Buffer> | null {
  if (part !== undefined) return writePart(body, part);
  return holdMs === undefined ? null : writeHalves(body, holdMs);
}

async function* writeHalves(body: Buffer, holdMs: number): AsyncIterable<Buffer> {
  const half = Math.floor(body.length / 2);
  yield body.subarray(0, half);
  await delay(holdMs);
  yield body.subarray(half);
}

async function* writePart(body: Buffer, part: UploadPart): AsyncIterable<Buffer> {
  yield body.subarray(0, part.bytes);
  await delay(lingerMs);
  part.leave();
  // The connection is gone: the rest has nowhere to go.
  yield body.subarray(part.bytes);
}

async function handOver(
  connect: () => Promise<Socket>,
  take: (...result: [null, Socket] | [Error, null]) => void,
): Promise<void> {
  let socket: Socket;
  try {
    socket = await connect();
  } catch (error) {
    take(error instanceof Error ? error : new Error(String(error)), null);
    return;
  }
  take(null, socket);
}
