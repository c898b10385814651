import type { Socket } from "node:net";
import { type buildConnector, Client, type Dispatcher } from "undici";
import { headerValues, type HeaderList } from "../core/header-list.ts";
import type { Connector } from "./connector.ts";
import { TransportError } from "./transport-error.ts";

/** One connection of a lane, from its opening to its close. */
export interface LaneConnection {
  readonly id: number;
  readonly socket: Socket;
  /** Requests that were written to it. */
  requests: number;
  /** Most requests it may carry, by the first `Keep-Alive: max=N` of the server. */
  maxRequests: number | null;
}

/**
 * A sequence of requests over one connection at a time, reopened when it is gone. One undici Client per lane: a Pool would
 * search its clients for every dispatch and would not say which connection carries a request.
 */
export class Lane {
  readonly id: number;
  /** null while not connected. */
  connection: LaneConnection | null = null;
  readonly #client: Client;
  readonly #connector: Connector;
  readonly #nextConnectionId: () => number;
  /** Opened ahead of the first request. */
  #spare: Socket | null = null;

  constructor(id: number, origin: URL, connector: Connector, nextConnectionId: () => number, keepAliveMs: number) {
    this.id = id;
    this.#connector = connector;
    this.#nextConnectionId = nextConnectionId;
    this.#client = new Client(origin.origin, {
      pipelining: 1,
      // Deadlines are kept by the exchange: undici's timers tick once in half a second.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: keepAliveMs,
      maxHeaderSize: 65_536,
      connect: (_options, callback) => void this.#connect(callback),
    });
  }

  /** Opens the connection without sending anything; rejects with a TransportError. */
  async warm(): Promise<void> {
    if (this.connection !== null || this.#spare !== null) return;
    const socket = await this.#connector();
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

  /** Notes what the response says about the connection, and closes it once its allowance is used up. */
  noteResponse(headers: HeaderList): void {
    const connection = this.connection;
    if (connection === null || connection.maxRequests !== null) return;
    const max = /(?:^|[,\s])max\s*=\s*(\d+)/i.exec(headerValues(headers, "keep-alive").join(","));
    // Some servers count down, some repeat the total: the first value as a total is the careful reading of both.
    if (max) connection.maxRequests = Math.max(Number(max[1]), connection.requests);
  }

  /** After a response: a connection that may carry no more requests is closed by us, before the server does it. */
  retireIfSpent(): void {
    const connection = this.connection;
    if (connection !== null && connection.maxRequests !== null && connection.requests >= connection.maxRequests) {
      connection.socket.destroy();
    }
  }

  async close(): Promise<void> {
    this.#spare?.destroy();
    this.#spare = null;
    await this.#client.destroy(new TransportError("aborted", "the wire was closed"));
  }

  async #connect(callback: buildConnector.Callback): Promise<void> {
    let socket: Socket;
    try {
      socket = this.#spare ?? (await this.#connector());
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), null);
      return;
    }
    this.#spare = null;
    const connection: LaneConnection = { id: this.#nextConnectionId(), socket, requests: 0, maxRequests: null };
    this.connection = connection;
    socket.once("close", () => {
      if (this.connection === connection) this.connection = null;
    });
    // undici does not expect the answer before its question has returned.
    queueMicrotask(() => callback(null, socket));
  }
}
