import { type BodyBounds, bodyBounds } from "../../core/body-bounds.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { createMemberList } from "../../core/member-list.ts";
import type { Sender, SendRequest } from "../../core/exchange/send-request.ts";
import { recordBody } from "../capture/body-capture.ts";
import type { Reservation } from "../budget/budget.ts";
import { leaveRuleOf } from "../capture/leave-rule.ts";
import type { ExchangeEnd } from "../capture/exchange-end.ts";
import { ExchangeHandler } from "../capture/exchange-handler.ts";
import type { ConnectionSlot } from "../connection/connection-slot.ts";
import { createSignalWatch } from "./signal-watch.ts";
import type { SlotLoan } from "../connection/slot-pool.ts";
import { openTargetConnections, type TargetConnections, type WarmUp } from "../connection/target-connections.ts";
import { LeaveError, TransportError } from "../http/transport-error.ts";
import { createRedactor } from "../redaction/redaction.ts";
import { createBurstRelease } from "./burst-release.ts";
import { type CaptureContexts, createCaptureContexts } from "./capture-contexts.ts";
import { createRequestPreparer, type PreparedRequest } from "../http/prepare-request.ts";
import { recordExchange } from "./record-exchange.ts";
import { createTurnQueue } from "./turn-queue.ts";
import { parseHttpUrl } from "../http/target-url.ts";
import type { WireOptions } from "./wire-options.ts";

/** The only thing that talks to a target. Redirects are not followed and nothing is retried. */
export interface Wire extends Sender {
  /**
   * Opens connections for requests of a stage (load, which has its own) without sending anything; resolves with how many
   * were opened and why others were not.
   */
  warm(connections: number | readonly number[], stage?: SendRequest["stage"]): Promise<WarmUp>;
  /** Ends everything in flight as aborted, with what was received of it; what comes after is sent. */
  giveUp(): void;
  /** Closes all connections; requests in flight end as aborted. */
  close(): Promise<void>;
}

const defaultMaxConnections = 256;
const defaultConnectTimeoutMs = 10_000;

/** Throws a TransportError when the base URL of the manifest is not usable. */
export function createWire(options: WireOptions): Wire {
  return new TargetWire(options);
}

/** A request that may be sent, and what the budget holds for it. */
interface Admitted {
  readonly prepared: PreparedRequest;
  readonly reservation: Reservation | null;
}

class TargetWire implements Wire {
  readonly #options: WireOptions;
  readonly #mask: (text: string) => string;
  readonly #bounds: BodyBounds;
  readonly #contexts: CaptureContexts;
  readonly #prepare: (request: SendRequest) => PreparedRequest;
  readonly #nextSeq: () => number;
  readonly #connections: TargetConnections;
  readonly #active = createMemberList<ExchangeHandler>();
  readonly #watched = createSignalWatch();
  readonly #turns = createTurnQueue();
  #stopped: TransportError | null = null;
  /** How often everything in flight was given up: a request that waited for its connection meanwhile must not be sent. */
  #givenUp = 0;

  constructor(options: WireOptions) {
    const { manifest, signal } = options;
    const baseUrl = parseHttpUrl(manifest.target.baseUrl);
    const redactor = createRedactor(manifest);
    const contexts = createCaptureContexts(options, redactor, this.#turns.finishWork);
    this.#options = options;
    this.#mask = redactor.mask;
    this.#bounds = bodyBounds(manifest.target);
    this.#contexts = contexts;
    this.#prepare = createRequestPreparer({
      baseUrl,
      manifest,
      redactor,
      recordBody: (bytes, request) => recordBody(bytes, contexts.for(request).policy, redactor),
    });
    let next = 1;
    this.#nextSeq = options.nextSeq ?? (() => next++);
    this.#connections = openTargetConnections({
      baseUrl,
      target: manifest.target,
      mask: redactor.mask,
      maskDeep: redactor.maskDeep,
      maxConnections: options.maxConnections ?? defaultMaxConnections,
      connectTimeoutMs: options.connectTimeoutMs ?? defaultConnectTimeoutMs,
      afterReads: this.#turns.write,
    });
    if (signal?.aborted) this.#stop("the run was stopped");
    signal?.addEventListener("abort", () => this.#stop("the run was stopped"), { once: true });
  }

  // One promise a request and no async function: under load every further object would be allocated a million times.
  send(request: SendRequest): Promise<Exchange> {
    return new Promise((resolve, reject) => {
      const seq = this.#nextSeq();
      const admitted = this.#admit(request);
      if (admitted instanceof TransportError) {
        resolve(this.#finish(request, seq, null, this.#unsent(admitted)));
        return;
      }
      const admittedAt = this.#givenUp;
      const carry = (leased: SlotLoan): void => {
        if (admittedAt !== this.#givenUp) {
          leased.release(false);
          const error = new TransportError("aborted", "given up before it was sent");
          resolve(this.#finish(request, seq, admitted, this.#unsent(error)));
          return;
        }
        this.#transfer(request, admitted.prepared, leased.slot, startDeadline, (outcome) => {
          leased.release(outcome.slotStuck);
          const finish = (): void => {
            try {
              resolve(this.#finish(request, seq, admitted, outcome));
            } catch (error) {
              reject(error instanceof Error ? error : new Error(String(error)));
            }
          };
          if (request.stage !== "load") {
            finish();
            return;
          }
          // The next request goes first: nothing is read, masked or judged before it.
          this.#turns.work(finish);
          request.onEnd?.(outcome);
        });
      };
      const leased = this.#lease(request, admitted.prepared, false);
      if (leased instanceof Promise) leased.then(carry).catch(reject);
      else carry(leased);
    });
  }

  async burst(requests: readonly SendRequest[]): Promise<readonly Exchange[]> {
    const entries = requests.map((request) => ({ request, seq: this.#nextSeq(), admitted: this.#admit(request) }));
    const together = createBurstRelease(entries.filter(({ admitted }) => !(admitted instanceof TransportError)).length);
    return Promise.all(
      entries.map(async ({ request, seq, admitted }) => {
        if (admitted instanceof TransportError) return this.#finish(request, seq, null, this.#unsent(admitted));
        const { prepared } = admitted;
        const leased = await this.#lease(request, prepared, true);
        const outcome = await together.join(
          leased.slot,
          (arrange) => new Promise((resolve) => this.#transfer(request, prepared, leased.slot, arrange, resolve)),
        );
        leased.release(outcome.slotStuck);
        return this.#finish(request, seq, admitted, outcome);
      }),
    );
  }

  warm(connections: number | readonly number[], stage: SendRequest["stage"] = "load"): Promise<WarmUp> {
    return this.#connections.warm(connections, stage);
  }

  giveUp(): void {
    this.#givenUp += 1;
    this.#cancelAll(new TransportError("aborted", "the request was given up"));
  }

  async close(): Promise<void> {
    this.#stop("the wire was closed");
    await this.#connections.close();
  }

  #admit(request: SendRequest): Admitted | TransportError {
    if (this.#stopped) return this.#stopped;
    if (request.signal?.aborted) return new TransportError("aborted", "the request was given up");
    let prepared: PreparedRequest;
    try {
      prepared = this.#prepare(request);
    } catch (error) {
      if (error instanceof TransportError) return error;
      throw error;
    }
    let reservation = this.#options.budget?.reserve(request) ?? null;
    if (reservation && "refused" in reservation) {
      // Answers that were not read yet still hold the worst case of their requests.
      this.#turns.finishWork();
      reservation = this.#options.budget?.reserve(request) ?? null;
    }
    if (reservation && "refused" in reservation) return new TransportError("budget", reservation.refused);
    return { prepared, reservation };
  }

  #lease(request: SendRequest, { foreign, origin }: PreparedRequest, beyondLimit: boolean): SlotLoan | Promise<SlotLoan> {
    return foreign ? this.#connections.leaseForeign(origin) : this.#connections.lease(request, beyondLimit);
  }

  /** Runs one request over a leased slot; `arrange` may hold the bytes back and must start the deadline. */
  #transfer(
    request: SendRequest,
    { path, fields, body }: PreparedRequest,
    slot: ConnectionSlot,
    arrange: (handler: ExchangeHandler) => void,
    settle: (outcome: ExchangeEnd) => void,
  ): void {
    const { signal } = request;
    const timeoutMs = request.timeoutMs ?? this.#options.manifest.target.timeoutMs;
    const deadlines = {
      timeoutMs,
      idleTimeoutMs: request.timeoutMs ?? this.#bounds.bodyIdleMs,
      totalTimeoutMs: request.totalTimeoutMs ?? timeoutMs + this.#bounds.bodyTotalMs,
      leave: leaveRuleOf(request),
      owner: ownerOf(request),
    };
    const handler = new ExchangeHandler(this.#contexts.for(request), slot, deadlines, (outcome) => {
      this.#active.remove(handler);
      if (signal) this.#watched.remove(signal, handler);
      settle(outcome);
    });
    if (this.#stopped) {
      handler.cancel(this.#stopped);
      return;
    }
    handler.onWritten = request.onWrite ?? null;
    this.#active.add(handler);
    if (signal) this.#watched.add(signal, handler);
    arrange(handler);
    const part = request.leaveUploadAfterBytes;
    const leave = (): void => handler.cancel(new LeaveError(`${part} bytes of its body`));
    slot.dispatch(
      {
        path,
        method: request.method,
        fields,
        body,
        ...(part === undefined ? {} : { part: { bytes: part, leave } }),
        ...(request.holdUploadMs === undefined ? {} : { holdMs: request.holdUploadMs }),
      },
      handler,
    );
  }

  #finish(request: SendRequest, seq: number, admitted: Admitted | null, outcome: ExchangeEnd): Exchange {
    const described = outcome.describe();
    const exchange = recordExchange(request, seq, admitted?.prepared ?? null, outcome, described, this.#mask);
    admitted?.reservation?.settle(exchange);
    this.#options.onExchange?.(exchange);
    this.#contexts.release(request, described.heldBytes);
    return exchange;
  }

  #unsent({ kind, message }: TransportError): ExchangeEnd {
    const { clock } = this.#options;
    return {
      status: null,
      failed: true,
      left: false,
      describe: () => ({ response: null, failure: { kind, message: this.#mask(message) }, heldBytes: 0 }),
      sentMs: null,
      wallMs: clock.wallMs(),
      headersMs: null,
      firstByteMs: null,
      endMs: clock.nowMs(),
      lateMs: null,
      connection: null,
      slotStuck: false,
    };
  }

  #stop(message: string): void {
    this.#stopped ??= new TransportError("aborted", message);
    this.#cancelAll(this.#stopped);
  }

  #cancelAll(error: TransportError): void {
    for (const handler of this.#active.members.slice()) handler.cancel(error);
    this.#turns.finishWork();
  }
}

/** The owner of the deadlines of a request. */
function ownerOf({ stage, timeoutMs }: SendRequest): string {
  if (timeoutMs === undefined) return "this target";
  return stage === "load" ? "this profile" : "this request";
}

const startDeadline = (handler: ExchangeHandler): void => handler.startDeadline();
