import type { Socket } from "node:net";
import { type buildConnector, Client, type Dispatcher } from "undici";
import { headerValues, type HeaderList } from "../core/header-list.ts";
import type { Connector } from "./connector.ts";
import type { TransportError } from "./transport-error.ts";

/** One connection of a lane, from its opening to its close. */
export interface LaneConnection {
  readonly id: number;
  readonly socket: Socket;
  /** Requests that were written to it. */
  requests: number;
  /** Most requests it may carry, by the first `Keep-Alive: max=N` of the server. */
  maxRequests: number | null;
  /** Whether the last response on it was a stream of events. */
  streamedLast: boolean;
}

export interface LaneOptions {
  readonly origin: URL;
  readonly connector: Connector;
  readonly nextConnectionId: () => number;
  /** Idle time after which we close a connection, unless the server announces one. */
  readonly keepAliveMs: number;
  readonly habits: ServerHabits;
}

/** What was learnt about a server, shared by all lanes to it. */
export interface ServerHabits {
  /** It closes connections after streams while announcing to keep them. */
  closesAfterStream: boolean;
}

/**
 * A sequence of requests over one connection at a time, reopened when it is gone. One undici Client per lane: a Pool would
 * search its clients for every dispatch and would not say which connection carries a request.
 */
export class Lane {
  /** null while not connected. */
  connection: LaneConnection | null = null;
  readonly #client: Client;
  readonly #options: LaneOptions;
  /** Whether the request under way follows a stream on its connection. */
  #streamedBefore = false;
  /** Opened ahead of the first request. */
  #spare: Socket | null = null;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#client = new Client(options.origin.origin, {
      pipelining: 1,
      // Deadlines are kept by the exchange: undici's timers tick once in half a second.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: options.keepAliveMs,
      maxHeaderSize: 65_536,
      connect: (_options, callback) => void this.#connect(callback),
    });
  }

  /** Opens the connection without sending anything; rejects with a TransportError. */
  async warm(): Promise<void> {
    if (this.connection !== null || this.#spare !== null) return;
    const socket = await this.#options.connector();
    this.#spare = socket;
    socket.once("close", () => {
      if (this.#spare === socket) this.#spare = null;
    });
    socket.once("error", () => socket.destroy());
  }

  /** The socket that the next request will use, when there is one. */
  get socket(): Socket | null {
    return this.connection?.socket ?? this.#spare;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(options, handler);
  }

  /** Counts a request that is written now; the connection that carries it. */
  beginRequest(): LaneConnection | null {
    const connection = this.connection;
    if (connection === null) return null;
    connection.requests += 1;
    this.#streamedBefore = connection.streamedLast;
    return connection;
  }

  /** Notes what the response says about the connection, and closes it once its allowance is used up. */
  noteResponse(headers: HeaderList): void {
    const connection = this.connection;
    if (connection === null || connection.maxRequests !== null) return;
    const max = /(?:^|[,\s])max\s*=\s*(\d+)/i.exec(headerValues(headers, "keep-alive").join(","));
    // Some servers count down, some repeat the total: the first value as a total is the careful reading of both.
    if (max) connection.maxRequests = Math.max(Number(max[1]), connection.requests);
  }

  /** After a response: a connection that may carry no more requests is closed by us, before the server does it. */
  finishResponse(streamed: boolean): void {
    const connection = this.connection;
    if (connection === null) return;
    connection.streamedLast = streamed;
    const spent = connection.maxRequests !== null && connection.requests >= connection.maxRequests;
    if (spent || (streamed && this.#options.habits.closesAfterStream)) connection.socket.destroy();
  }

  /** The server closed a reused connection: where that followed a stream, later streams are not followed by a reuse. */
  noteRace(): void {
    if (this.#streamedBefore) this.#options.habits.closesAfterStream = true;
  }

  /** One reason serves many lanes: Node reads the stack of an error that closes a socket, which is dear. */
  async close(reason: TransportError): Promise<void> {
    this.#spare?.destroy();
    this.#spare = null;
    await this.#client.destroy(reason);
  }

  async #connect(callback: buildConnector.Callback): Promise<void> {
    let socket: Socket;
    try {
      socket = this.#spare ?? (await this.#options.connector());
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), null);
      return;
    }
    this.#spare = null;
    const connection: LaneConnection = {
      id: this.#options.nextConnectionId(),
      socket,
      requests: 0,
      maxRequests: null,
      streamedLast: false,
    };
    this.connection = connection;
    socket.once("close", () => {
      if (this.connection === connection) this.connection = null;
    });
    // undici does not expect the answer before its question has returned.
    queueMicrotask(() => callback(null, socket));
  }
}
