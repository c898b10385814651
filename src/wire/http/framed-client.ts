import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import type { Socket } from "node:net";
import { framingFields } from "../../core/exchange/headers/framing-fields.ts";
import type { HeaderReader } from "./header-reader.ts";
import type { SlotClient, SlotRequest } from "./slot-client.ts";
import type { Abortable, ResponseHandler } from "./response-handler.ts";
import { ConnectionClosedError, TransportError } from "./transport-error.ts";

export interface FramedClientOptions {
  /** Host and port of the target, for the Host field. */
  readonly authority: string;
  readonly readHeaders: HeaderReader;
  /** The body is sent after so long to a server that does not ask for it: it may know nothing of expectations. */
  readonly expectationMs: number;
  readonly connect: () => Promise<Socket>;
}

/** Whether a request with these fields of its own goes over this client: undici does not write such a framing. */
export function statesFraming(headers: Readonly<Record<string, string>> | undefined): boolean {
  return headers !== undefined && Object.keys(headers).some((name) => framingFields.includes(name.toLowerCase()));
}

/** The client of Node, for requests in a framing that undici does not write: one connection for each request, closed after it. */
export class FramedClient implements SlotClient {
  readonly #options: FramedClientOptions;
  #carried: CarriedRequest | null = null;

  constructor(options: FramedClientOptions) {
    this.#options = options;
  }

  dispatch(request: SlotRequest, handler: ResponseHandler): void {
    this.#carried = new CarriedRequest(request, handler, this.#options);
    void this.#carried.run();
  }

  async destroy(reason: Error): Promise<void> {
    this.#carried?.abort(reason);
    return Promise.resolve();
  }
}

/** One request, from the opening of its connection to its end. */
class CarriedRequest implements Abortable {
  readonly #request: SlotRequest;
  readonly #handler: ResponseHandler;
  readonly #options: FramedClientOptions;
  #outgoing: ClientRequest | null = null;
  #isOver = false;
  /** The head of the final answer has come. */
  #isAnswered = false;
  /** Set while the server may still ask for the body. */
  #patience: NodeJS.Timeout | undefined;
  /** Bytes of a read of which nothing was handed out yet. */
  #readBytes: number | null = null;

  constructor(request: SlotRequest, handler: ResponseHandler, options: FramedClientOptions) {
    this.#request = request;
    this.#handler = handler;
    this.#options = options;
  }

  async run(): Promise<void> {
    let socket: Socket;
    try {
      socket = await this.#options.connect();
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (!this.#isOver) this.#handler.onConnect(this);
    // Given up while it was opened, or before it is sent.
    if (this.#isOver) socket.destroy();
    else this.#write(socket);
  }

  abort(error: Error): void {
    this.#fail(error);
  }

  #write(socket: Socket): void {
    const { method, path, fields, body } = this.#request;
    const content = body ?? Buffer.alloc(0);
    const isChunked = states(fields.sent, "transfer-encoding");
    const length = isChunked ? [] : ["content-length", String(content.length)];
    const headers = ["host", this.#options.authority, ...fields.sent, ...length];
    try {
      this.#outgoing = requestHttp({ method, path, headers, createConnection: () => socket, maxHeaderSize: 65_536 });
    } catch (error) {
      socket.destroy();
      this.#fail(error);
      return;
    }
    this.#outgoing
      .once("socket", () => socket.prependListener("data", (bytes: Buffer) => (this.#readBytes = bytes.length)))
      .once("response", (response) => this.#read(response))
      .once("upgrade", () => this.#fail(switched()))
      .on("error", (error) => this.#fail(describe(error)));
    const write = (): void => this.#writeBody(socket, isChunked ? chunksOf(content) : [content]);
    if (!states(fields.sent, "expect")) {
      write();
      return;
    }
    this.#outgoing.once("continue", write);
    this.#patience = setTimeout(write, this.#options.expectationMs);
  }

  /** The body; of one whose final answer has come, nothing is sent. */
  #writeBody(socket: Socket, chunks: Iterable<Buffer>): void {
    clearTimeout(this.#patience);
    if (this.#isOver || this.#isAnswered || this.#outgoing?.writableEnded !== false) return;
    // One segment, as far as it goes: only the framing is another one.
    socket.cork();
    for (const chunk of chunks) this.#outgoing.write(chunk);
    this.#outgoing.end();
    process.nextTick(() => socket.uncork());
  }

  #read(response: IncomingMessage): void {
    this.#isAnswered = true;
    if (response.statusCode === 101) {
      this.#fail(switched());
      return;
    }
    this.#beginRead();
    const raw = response.rawHeaders.map((text) => Buffer.from(text, "latin1"));
    this.#handler.onHead(response.statusCode ?? 0, this.#options.readHeaders(raw), response.httpVersion);
    response.on("data", (piece: Buffer) => {
      if (this.#isOver) return;
      this.#beginRead();
      this.#handler.onData(piece, true);
    });
    response.on("error", (error) => this.#fail(describe(error)));
    response.once("end", () => this.#complete());
    response.once("close", () => this.#fail(new ConnectionClosedError()));
  }

  /** One read may hold several pieces: they arrived together and share the stamp. */
  #beginRead(): void {
    if (this.#readBytes === null) return;
    this.#handler.onRead(this.#readBytes);
    this.#readBytes = null;
  }

  #complete(): void {
    if (this.#isOver) return;
    this.#end();
    this.#handler.onComplete();
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#patience);
    this.#outgoing?.destroy();
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#end();
    this.#handler.onError(error);
  }
}

/** Whether names and values in turn hold this name. */
function states(sent: readonly string[], name: string): boolean {
  return sent.some((text, at) => at % 2 === 0 && text.toLowerCase() === name);
}

/** Pieces of 1, 2, 4, 8 bytes and so on: ends of chunks fall into words, escapes and characters. */
function* chunksOf(body: Buffer): Iterable<Buffer> {
  let size = 1;
  for (let at = 0; at < body.length; at += size / 2) {
    yield body.subarray(at, at + size);
    size *= 2;
  }
}

/** Nobody asked for another protocol, and no answer follows in it. */
function switched(): Error {
  return new TransportError("invalid-http", "the connection is switched to another protocol (101)");
}

/** An error of this client in the terms of the wire. */
function describe(error: Error & { readonly code?: string; readonly reason?: string }): Error {
  if (error.code === "HPE_HEADER_OVERFLOW")
    return new TransportError("invalid-http", "the response head is larger than 64 KiB", error);
  if (error.code?.startsWith("HPE_") === true) return new TransportError("invalid-http", error.reason ?? error.message, error);
  return error.message === "socket hang up" || error.message === "aborted" ? new ConnectionClosedError() : error;
}
