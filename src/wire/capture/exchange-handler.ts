import { performance } from "node:perf_hooks";
import type { RecordedResponse, TransportFailure, TimeBound } from "../../core/exchange/exchange.ts";
import type { HeaderList } from "../../core/exchange/headers/header-list.ts";
import type { Listed } from "../../core/member-list.ts";
import { ContentCapture } from "./content-capture.ts";
import { leavesAt, type LeaveRule } from "./leave-rule.ts";
import type { ExchangeEnd, DescribedOutcome } from "./exchange-end.ts";
import type { HandlerContext } from "./handler-context.ts";
import { LatestRead } from "./latest-read.ts";
import { loopWatchOfThread } from "../clock/loop-watch.ts";
import type { ConnectionSlot, SlotConnection, DeadlineKeeper } from "../connection/connection-slot.ts";
import type { Abortable, ResponseHandler } from "../http/response-handler.ts";
import { ceilToMicroseconds, floorToMicroseconds } from "./whole-microseconds.ts";
import {
  describeFailure,
  type FailurePoint,
  maskFailure,
  LeaveError,
  TimeOutError,
  TransportError,
} from "../http/transport-error.ts";

/** Memory that a record takes beside its body, unless its head is larger. */
const headBytes = 2048;
/**
 * Header fields of a head that are kept, and the memory of each: an object of its own, however short. A head of 64 KiB would hold
 * thousands.
 */
const mostFields = 500;
const fieldBytes = 100;

/** Receives one response from a client and stamps its marks before anything else is done with the bytes. */
export class ExchangeHandler implements ResponseHandler, DeadlineKeeper, Listed {
  listPlace = -1;
  /** Called once the request was handed to a connection. */
  onWritten: ((connection: SlotConnection | null) => void) | null = null;
  readonly #context: HandlerContext;
  readonly #slot: ConnectionSlot;
  readonly #deadlines: Deadlines;
  readonly #settle: (outcome: ExchangeEnd) => void;
  /** Deadlines run on real time: the run clock may leap while a request is under way. */
  readonly #startedAtMs = performance.now();
  readonly #loop = loopWatchOfThread();
  #request: Abortable | null = null;
  /** When the deadline between two reads began to run anew. */
  #quietSinceMs = this.#startedAtMs;
  #settled = false;
  /** Set for a client that goes away after a time. */
  #leaving: NodeJS.Timeout | undefined;
  #connection: { readonly id: number; readonly reused: boolean } | null = null;
  #carrier: SlotConnection | null = null;
  #sentMs: number | null = null;
  #wallMs: number;
  #headersMs: number | null = null;
  #status = 0;
  #isVersion10 = false;
  #headers: HeaderList = [];
  #content: ContentCapture | null = null;
  readonly #latest = new LatestRead();
  #heldBytes = 0;
  #lacksRoom = false;
  readonly #take = (bytes: number): boolean => {
    const fits = this.#context.account.take(bytes);
    if (fits) this.#heldBytes += bytes;
    else this.#lacksRoom = true;
    return fits;
  };

  constructor(context: HandlerContext, slot: ConnectionSlot, deadlines: Deadlines, settle: (outcome: ExchangeEnd) => void) {
    this.#context = context;
    this.#slot = slot;
    this.#deadlines = deadlines;
    this.#settle = settle;
    this.#wallMs = context.clock.wallMs();
  }

  /** Starts the deadline for the response head. */
  startDeadline(): void {
    this.#quietSinceMs = performance.now();
    this.#armDeadline(this.#quietSinceMs);
  }

  /** Moves the instant of sending to now: the bytes were held back since they were handed over. */
  markReleased(): void {
    this.#sentMs = floorToMicroseconds(this.#context.clock.nowMs());
    this.#wallMs = this.#context.clock.wallMs();
  }

  /** Gives the exchange up. */
  cancel(error: TransportError): void {
    if (this.#settled) return;
    if (this.#request) this.#request.abort(error);
    else this.#finish(describeFailure(error, this.#failurePoint()), true);
  }

  onConnect(request: Abortable): void {
    if (this.#settled || this.#context.mayWrite?.() === false) {
      request.abort(new TransportError("aborted", "given up before it was sent"));
      return;
    }
    this.#request = request;
    const connection = this.#slot.beginRequest();
    if (connection) this.#connection = { id: connection.id, reused: connection.requests > 1 };
    this.#carrier = connection;
    this.#wallMs = this.#context.clock.wallMs();
    this.#sentMs = floorToMicroseconds(this.#context.clock.nowMs());
    const leaveMs = this.#deadlines.leave?.ms ?? Infinity;
    if (Number.isFinite(leaveMs)) this.#leaving = setTimeout(() => this.cancel(new LeaveError(`${leaveMs} ms`)), leaveMs);
    this.onWritten?.(connection);
  }

  onRead(bytes: number | null): void {
    const { arrivals, clock } = this.#context;
    this.#latest.next(bytes, arrivals.stamp(), clock.leadMs?.() ?? 0);
    // A head that comes drop by drop has one deadline for all of it.
    if (this.#headersMs !== null) this.#quietSinceMs = performance.now();
  }

  onHead(status: number, headers: HeaderList, version?: string): void {
    if (headers.length > mostFields) {
      this.cancel(new TransportError("invalid-http", `the response head has more than ${mostFields} fields`));
      return;
    }
    // Bytes behind the head in the same read may have arrived after it.
    this.#latest.latestMs = this.#latest.atMs;
    this.#headersMs = this.#latest.atMs;
    this.#status = status;
    this.#isVersion10 = version === "1.0";
    this.#headers = headers;
    this.#slot.noteResponse(status, headers);
    // A head is kept whole, as it has a bound of its own. If it takes the last room, the next body is not kept.
    this.#take(Math.max(headBytes, fieldBytes * headers.length));
    const { policy, redactor, maxEvents, recordBytes } = this.#context;
    const bounds = { events: maxEvents, eventLength: policy.textBytes, take: this.#take, recordBytes };
    this.#content = new ContentCapture(headers, { policy, redactor, bounds });
    this.#quietSinceMs = performance.now();
    const leaves = leavesAt(this.#deadlines.leave, 0, this.#content.events);
    if (leaves !== null) this.cancel(leaves);
  }

  onData(piece: Buffer, lasting: boolean): void {
    this.#content?.write(piece, this.#latest, lasting);
    const { bytes = 0, events = -1 } = this.#content ?? {};
    const cut = this.#cutStream() ?? this.#cutBody(bytes) ?? leavesAt(this.#deadlines.leave, bytes, events);
    if (cut !== null) {
      this.cancel(cut);
    } else if (this.#quietSinceMs - this.#lateMs() - this.#startedAtMs >= this.#deadlines.totalTimeoutMs) {
      this.#expire(true);
    }
  }

  onComplete(): void {
    // Before anybody hears of the end: the next request may be sent at once, and must not go over a connection that is to be
    // closed here.
    this.#slot.finishResponse(this.#content?.isStream ?? false);
    this.#finish(null, false);
  }

  onError(error: unknown): void {
    // An end that this loop was late to see may have come with the request: only the time that is certain counts.
    const leastMs = Math.max(0, this.#context.arrivals.stamp().earliestMs - (this.#sentMs ?? Infinity));
    const failure = describeFailure(error, this.#failurePoint(leastMs));
    if (failure.kind === "reused-connection-closed") this.#slot.noteRace();
    this.#finish(failure, false);
  }

  /** The time that the latest read may have lain in its socket: bytes that came before time was up are no reason to give up. */
  #lateMs(): number {
    return this.#latest.atMs - this.#latest.earliestMs;
  }

  /** The timer ran out: bytes that came since moved the deadline, and moving the timer each time would cost more than this. */
  onDeadline(): void {
    const nowMs = performance.now();
    const quietLeftMs = this.#quietSinceMs + this.#quietMs() - nowMs;
    const totalLeftMs = this.#startedAtMs + this.#deadlines.totalTimeoutMs - nowMs;
    // The total is enforced from the head on, which has a deadline of its own. Framing that drips is no reason to wait longer.
    const total = this.#headersMs !== null && totalLeftMs < quietLeftMs;
    // A timer may fire a fraction of a millisecond early.
    if ((total ? totalLeftMs : quietLeftMs) < 1) this.#expire(total);
    else this.#armDeadline(nowMs);
  }

  /** Wakes at the deadline that comes first, also at that for all when no body byte has come yet: one may come before it. */
  #armDeadline(nowMs: number): void {
    const quietLeftMs = this.#quietSinceMs + this.#quietMs() - nowMs;
    const totalLeftMs = this.#startedAtMs + this.#deadlines.totalTimeoutMs - nowMs;
    this.#slot.deadline.arm(Math.round(totalLeftMs > 0 ? Math.min(quietLeftMs, totalLeftMs) : quietLeftMs), this);
  }

  #quietMs(): number {
    return this.#headersMs === null ? this.#deadlines.timeoutMs : this.#deadlines.idleTimeoutMs;
  }

  /** Why the answer is not all there; null where it is. */
  #cutStream(): TransportError | null {
    const { lackOfRoom } = this.#context;
    if (this.#lacksRoom && lackOfRoom !== null) return lackOfRoom;
    const exceeded = this.#content?.exceeded ?? null;
    return exceeded === null ? null : new TransportError("too-large", `the stream was cut: it has ${exceeded}`);
  }

  #cutBody(bytes: number): TransportError | null {
    const { maxResponseBytes } = this.#context;
    return bytes > maxResponseBytes
      ? new TransportError("too-large", `the response body exceeds ${maxResponseBytes} bytes (target.maxBodyBytes)`)
      : null;
  }

  #expire(total: boolean): void {
    const waited = this.#sentMs === null ? "connection" : this.#headersMs === null ? "head" : total ? "end" : "bytes";
    this.cancel(new TimeOutError({ until: waited, ms: deadlineOf(waited, this.#deadlines) }, this.#deadlines.owner));
  }

  /** `leastMs`: how long after the request the end had certainly not come yet. */
  #failurePoint(leastMs = 0): FailurePoint {
    const headReceived = this.#headersMs !== null;
    if (this.#carrier === null || this.#connection?.reused !== true) return { headReceived, reused: null };
    const { openMs, idleMs } = this.#carrier;
    const { quickestMs, keptMs } = this.#slot;
    return { headReceived, reused: { roundTripMs: Math.min(openMs, quickestMs), idleMs, leastMs, keptMs } };
  }

  #finish(failure: TransportFailure | null, slotStuck: boolean): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#slot.deadline.disarm(this);
    if (this.#leaving !== undefined) clearTimeout(this.#leaving);
    const { clock } = this.#context;
    this.#settle({
      status: this.#headersMs === null ? null : this.#status,
      failed: failure !== null || this.#cutStream() !== null,
      left: failure?.left === true,
      describe: () => this.#describe(failure),
      sentMs: this.#sentMs,
      wallMs: this.#wallMs,
      headersMs: this.#headersMs,
      firstByteMs: this.#content?.firstByteMs ?? null,
      endMs:
        failure === null && this.#latest.read >= 0
          ? this.#latest.atMs
          : ceilToMicroseconds(clock.nowMs() + (clock.leadMs?.() ?? 0)),
      lateMs: this.#sentMs === null ? null : ceilToMicroseconds(this.#loop.latestSince(this.#startedAtMs)),
      connection: this.#connection,
      slotStuck,
    });
  }

  #describe(failure: TransportFailure | null): DescribedOutcome {
    const response = this.#headersMs === null ? null : this.#describeResponse();
    const reason = failure ?? this.#cutStream();
    const shown = reason === null ? null : maskFailure(reason, this.#context.redactor.mask);
    return { response, failure: shown, heldBytes: this.#heldBytes };
  }

  #describeResponse(): RecordedResponse {
    const { body = null, stream = null } = this.#content?.end(this.#latest) ?? {};
    const version = this.#isVersion10 ? ({ version: "1.0" } as const) : {};
    return { status: this.#status, ...version, headers: this.#headers, body, stream };
  }
}

interface Deadlines {
  /** Until the response head. */
  readonly timeoutMs: number;
  /** Between two reads of the body. */
  readonly idleTimeoutMs: number;
  /** Until the last byte. */
  readonly totalTimeoutMs: number;
  /** When the client goes away on purpose; null: it stays. */
  readonly leave: LeaveRule | null;
  /** The owner of the deadlines, for messages: `this profile`. */
  readonly owner: string;
}

/** How long was waited for what had to come. */
function deadlineOf(until: TimeBound["until"], { timeoutMs, idleTimeoutMs, totalTimeoutMs }: Deadlines): number {
  if (until === "connection" || until === "head") return timeoutMs;
  return until === "end" ? totalTimeoutMs : idleTimeoutMs;
}
