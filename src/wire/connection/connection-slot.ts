import type { Socket } from "node:net";
import { performance } from "node:perf_hooks";
import type { HeaderList } from "../../core/exchange/headers/header-list.ts";
import type { Connector, OpenedSocket } from "../connect/connector.ts";
import { isNamed } from "../../core/is-named.ts";
import type { SlotClient, SlotRequest } from "../http/slot-client.ts";
import type { ResponseHandler } from "../http/response-handler.ts";
import type { TransportError } from "../http/transport-error.ts";
import type { ServerHabits } from "./server-habits.ts";

/** Is called when its time is up. */
export interface DeadlineKeeper {
  onDeadline(): void;
}

/**
 * A timer for one keeper at a time, kept from one to the next: to set one again costs a fraction of making and clearing one
 * for each of tens of thousands of requests a second. It does not keep the process alive; what is waited for does.
 */
class DeadlineTimer {
  #timer: NodeJS.Timeout | null = null;
  #ms = 0;
  #keeper: DeadlineKeeper | null = null;

  /**
   * Calls the keeper after `ms` milliseconds, unless it is disarmed or armed again before. Timers come before sockets in a turn
   * of the loop: after a pause of this process what has arrived meanwhile is read first, or our delay would be the target's.
   */
  arm(ms: number, keeper: DeadlineKeeper): void {
    this.#keeper = keeper;
    if (this.#timer !== null && this.#ms === ms) {
      this.#timer.refresh();
      return;
    }
    this.close();
    this.#keeper = keeper;
    this.#ms = ms;
    this.#timer = setTimeout(() => setImmediate(() => this.#keeper?.onDeadline()), ms).unref();
  }

  disarm(keeper: DeadlineKeeper): void {
    if (this.#keeper === keeper) this.#keeper = null;
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#keeper = null;
  }
}

/** One connection of a slot, from its opening to its close. */
export interface SlotConnection {
  readonly id: number;
  readonly socket: Socket;
  /** Requests that were written to it. */
  requests: number;
  /** Most requests it may carry, by the first `Keep-Alive: max=N` of the server. */
  maxRequests: number | null;
  /** Whether the last response on it was a stream of events. */
  streamedLast: boolean;
  /** Time that opening it took. */
  readonly openMs: number;
  /** How long it was unused before the request under way. */
  idleMs: number;
  /** When that was written, by the clock of the process. */
  begunMs: number;
  /** End of the last response, by the clock of the process. */
  quietSinceMs: number;
}

export interface ConnectionSlotOptions {
  /** Makes the client of the slot, which opens its connections by `connect`. */
  readonly createClient: (connect: () => Promise<OpenedSocket>) => SlotClient;
  readonly connector: Connector;
  readonly nextConnectionId: () => number;
  readonly habits: ServerHabits;
}

/** A sequence of requests over one connection at a time, reopened when it is gone. */
export class ConnectionSlot {
  /** null while not connected. */
  connection: SlotConnection | null = null;
  /** Of the request under way. */
  readonly deadline: DeadlineTimer = new DeadlineTimer();
  readonly #client: SlotClient;
  readonly #options: ConnectionSlotOptions;
  /** Whether the request under way follows a stream on its connection. */
  #streamedBefore = false;
  /** Opened ahead of the first request. */
  #spare: OpenedSocket | null = null;
  #closed: TransportError | null = null;

  constructor(options: ConnectionSlotOptions) {
    this.#options = options;
    this.#client = options.createClient(() => this.#connect());
  }

  /** Opens the connection without sending anything; rejects with a TransportError. */
  async warm(): Promise<void> {
    if (this.connection !== null || this.#spare !== null) return;
    const opened = await this.#options.connector();
    const { socket } = opened;
    if (this.#closed !== null) {
      socket.destroy();
      throw this.#closed;
    }
    this.#spare = opened;
    socket.once("close", () => {
      if (this.#spare === opened) this.#spare = null;
    });
    socket.once("error", () => socket.destroy());
  }

  /** The socket that the next request will use, when there is one. */
  get socket(): Socket | null {
    return this.connection?.socket ?? this.#spare?.socket ?? null;
  }

  dispatch(request: SlotRequest, handler: ResponseHandler): void {
    this.#client.dispatch(request, handler);
  }

  /** Counts a request that is written now; the connection that carries it. */
  beginRequest(): SlotConnection | null {
    const connection = this.connection;
    if (connection === null) return null;
    connection.requests += 1;
    connection.begunMs = performance.now();
    connection.idleMs = connection.begunMs - connection.quietSinceMs;
    this.#streamedBefore = connection.streamedLast;
    return connection;
  }

  /** Notes what the response says about the connection, and closes it once its allowance is used up. */
  noteResponse(status: number, headers: HeaderList): void {
    const connection = this.connection;
    if (connection === null) return;
    // A refusal may have left before the request came: a 408 of a connection that was idle for too long.
    if (status >= 200 && status < 300) this.#options.habits.noteAnswered(performance.now() - connection.begunMs);
    if (connection.requests > 1) this.#options.habits.noteKept(connection.idleMs);
    if (connection.maxRequests !== null) return;
    for (const [name, value] of headers) {
      const max = isNamed(name, "keep-alive") ? /(?:^|[,\s])max\s*=\s*(\d+)/i.exec(value) : null;
      // Some servers count down, some repeat the total: the first value as a total is the careful reading of both.
      if (max) connection.maxRequests ??= Math.max(Number(max[1]), connection.requests);
    }
  }

  /** After a response: a connection that may carry no more requests is closed by us, before the server does it. */
  finishResponse(streamed: boolean): void {
    const connection = this.connection;
    if (connection === null) return;
    connection.streamedLast = streamed;
    connection.quietSinceMs = performance.now();
    const spent = connection.maxRequests !== null && connection.requests >= connection.maxRequests;
    if (spent || (streamed && this.#options.habits.closesAfterStream)) connection.socket.destroy();
  }

  /** A round trip to the server takes no longer, as far as is known, milliseconds. */
  get quickestMs(): number {
    return this.#options.habits.quickestMs;
  }

  /** So long an idle time does not make the server close a connection, as far as is known, milliseconds. */
  get keptMs(): number {
    return this.#options.habits.keptMs;
  }

  /** The server closed a reused connection: where that followed a stream, later streams are not followed by a reuse. */
  noteRace(): void {
    if (this.#streamedBefore) this.#options.habits.closesAfterStream = true;
  }

  /** One reason serves many slots: Node reads the stack of an error that closes a socket, which is dear. */
  async close(reason: TransportError): Promise<void> {
    this.#closed = reason;
    this.deadline.close();
    this.#spare?.socket.destroy();
    this.#spare = null;
    await this.#client.destroy(reason);
  }

  async #connect(): Promise<OpenedSocket> {
    // A socket is destroyed some time before it is closed.
    const spare = this.#spare?.socket.destroyed === true ? null : this.#spare;
    this.#spare = null;
    const opened = spare ?? (await this.#options.connector());
    const connection: SlotConnection = {
      id: this.#options.nextConnectionId(),
      socket: opened.socket,
      requests: 0,
      maxRequests: null,
      streamedLast: false,
      openMs: opened.openMs,
      idleMs: 0,
      begunMs: performance.now(),
      quietSinceMs: performance.now(),
    };
    this.connection = connection;
    opened.socket.once("close", () => {
      if (this.connection === connection) this.connection = null;
    });
    return opened;
  }
}
