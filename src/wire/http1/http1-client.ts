import { performance } from "node:perf_hooks";
import type { SlotClient, SlotRequest } from "../http/slot-client.ts";
import type { OpenedSocket } from "../connect/connector.ts";
import type { Abortable, ResponseHandler } from "../http/response-handler.ts";
import { ConnectionClosedError } from "../http/transport-error.ts";
import { encodeRequest } from "./encode-request.ts";
import type { HeadReader, ResponseHead } from "./head-reader.ts";
import { type ResponseParts, ResponseReader } from "./response-reader.ts";

export interface Http1ClientOptions {
  /** Host and port of the target, for the Host field. */
  readonly authority: string;
  /** Idle time after which a connection is not used again, unless the server announces one. */
  readonly keepAliveMs: number;
  readonly readHead: HeadReader;
  readonly connect: () => Promise<OpenedSocket>;
  /** Does something once all sockets of this turn of the loop were read. */
  readonly afterReads: (task: () => void) => void;
}

/** An idle connection is given up this long before the server said that it would close it. */
const closeAheadMs = 2000;
const [carriageReturn, lineFeed] = [13, 10];

/**
 * HTTP/1.1 over a socket for load: requests that we build, at a rate at which undici itself would be what is measured. Bytes
 * are read into memory that all connections share, and stamped before anything else. A test compares its reports of a response
 * with those of undici.
 */
export class Http1Client implements SlotClient, ResponseParts, Abortable {
  readonly #options: Http1ClientOptions;
  readonly #reader: ResponseReader;
  #opened: OpenedSocket | null = null;
  #opening = false;
  #request: SlotRequest | null = null;
  #handler: ResponseHandler | null = null;
  /**
   * Takes what is read; the same from when its request was written. A request that is given up may be followed by another one
   * while the rest of a read is still gone through: that rest does not belong to the other.
   */
  #receiver: ResponseHandler | null = null;
  #idleSinceMs = 0;
  #idleLimitMs: number;
  #destroyed: Error | null = null;

  constructor(options: Http1ClientOptions) {
    this.#options = options;
    this.#idleLimitMs = options.keepAliveMs;
    this.#reader = new ResponseReader(options.readHead, this);
  }

  dispatch(request: SlotRequest, handler: ResponseHandler): void {
    if (this.#destroyed !== null) {
      handler.onError(this.#destroyed);
      return;
    }
    this.#request = request;
    this.#handler = handler;
    const opened = this.#opened;
    if (opened === null || opened.socket.destroyed || performance.now() - this.#idleSinceMs >= this.#idleLimitMs) {
      opened?.socket.destroy();
      this.#opened = null;
      if (!this.#opening) void this.#open();
    } else {
      // An end of the connection that came meanwhile, and bytes that belong to no request, are seen before the next request is
      // written.
      this.#options.afterReads(this.#writeAgain);
    }
  }

  readonly #writeAgain = (): void => {
    if (this.#request === null || this.#receiver !== null || this.#opening) return;
    const opened = this.#opened;
    if (opened !== null && !opened.socket.destroyed) {
      this.#write(opened);
      return;
    }
    this.#opened = null;
    void this.#open();
  };

  abort(error: Error): void {
    this.#fail(error);
  }

  async destroy(reason: Error): Promise<void> {
    this.#destroyed = reason;
    this.#fail(reason);
    return Promise.resolve();
  }

  onHead(head: ResponseHead): void {
    this.#receiver?.onHead(head.status, head.headers);
  }

  onData(piece: Buffer, lasting: boolean): void {
    this.#receiver?.onData(piece, lasting);
  }

  async #open(): Promise<void> {
    this.#opening = true;
    let opened: OpenedSocket;
    try {
      opened = await this.#options.connect();
    } catch (error) {
      this.#opening = false;
      this.#fail(error);
      return;
    }
    this.#opening = false;
    const { socket, reading } = opened;
    if (this.#destroyed !== null || socket.destroyed || reading === null) {
      socket.destroy();
      this.#fail(this.#destroyed ?? new ConnectionClosedError());
      return;
    }
    this.#opened = opened;
    this.#idleSinceMs = performance.now();
    this.#idleLimitMs = this.#options.keepAliveMs;
    reading.onBytes = (bytes) => this.#read(opened, reading.memory, bytes);
    socket.on("error", (error) => this.#lose(opened, error));
    socket.once("end", () => this.#end(opened));
    socket.once("close", () => this.#lose(opened, new ConnectionClosedError()));
    if (this.#request !== null) this.#write(opened);
  }

  #write({ socket }: OpenedSocket): void {
    const request = this.#request;
    const handler = this.#handler;
    if (request === null || handler === null) return;
    let bytes: string | Buffer;
    try {
      bytes = encodeRequest(request, this.#options.authority);
    } catch (error) {
      this.#request = null;
      this.#handler = null;
      handler.onError(error);
      return;
    }
    this.#reader.begin(request.method);
    this.#receiver = handler;
    handler.onConnect(this);
    // Given up before it was sent.
    if (this.#handler !== handler) return;
    socket.write(bytes, "latin1");
  }

  #read(opened: OpenedSocket, memory: Buffer, bytes: number): void {
    if (this.#opened !== opened) return;
    const receiver = this.#receiver;
    if (receiver === null) {
      if (!isBlank(memory, bytes)) opened.socket.destroy();
      return;
    }
    receiver.onRead(bytes);
    try {
      const end = this.#reader.read(memory, 0, bytes);
      if (end !== -1 && this.#receiver === receiver) this.#complete(opened, receiver, isBlank(memory, bytes, end));
    } catch (error) {
      if (this.#receiver === receiver) this.#fail(error);
    }
  }

  /** `clean`: nothing follows the response, which would belong to no request. */
  #complete({ socket }: OpenedSocket, handler: ResponseHandler, clean: boolean): void {
    const { head } = this.#reader;
    this.#request = null;
    this.#handler = null;
    this.#receiver = null;
    this.#idleSinceMs = performance.now();
    const idleSeconds = head?.idleSeconds ?? null;
    this.#idleLimitMs = idleSeconds === null ? this.#options.keepAliveMs : 1000 * idleSeconds - closeAheadMs;
    if (head?.keepAlive !== true || !clean || this.#idleLimitMs <= 0) socket.destroy();
    handler.onComplete();
  }

  /** The server ended its side. */
  #end(opened: OpenedSocket): void {
    const receiver = this.#receiver;
    if (this.#opened === opened && receiver !== null && this.#reader.endsWithConnection())
      this.#complete(opened, receiver, false);
    else this.#lose(opened, new ConnectionClosedError());
    opened.socket.destroy();
  }

  #lose(opened: OpenedSocket, error: Error): void {
    if (this.#opened !== opened) return;
    // A request that was not written is written to the next connection.
    if (this.#receiver === null) this.#opened = null;
    else this.#fail(error);
  }

  #fail(error: unknown): void {
    const handler = this.#handler;
    this.#request = null;
    this.#handler = null;
    this.#receiver = null;
    const opened = this.#opened;
    this.#opened = null;
    opened?.socket.destroy();
    handler?.onError(error);
  }
}

/** Empty lines between responses are no response. */
function isBlank(memory: Buffer, to: number, from = 0): boolean {
  for (let at = from; at < to; at += 1) if (memory[at] !== carriageReturn && memory[at] !== lineFeed) return false;
  return true;
}
