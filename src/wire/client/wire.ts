import type { Clock } from "../../core/clock.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import type { Manifest } from "../../core/manifest.ts";
import { createMemberList } from "../../core/member-list.ts";
import type { Sender, SendRequest } from "../../core/exchange/send-request.ts";
import { createArrivalMeter } from "../capture/arrival-meter.ts";
import { bodyBounds } from "../../core/body-bounds.ts";
import { type CaptureAccount, createCaptureAccount } from "../capture/capture-account.ts";
import { recordBody, type CapturePolicy } from "../capture/body-capture.ts";
import type { Budget, Reservation } from "../budget/budget.ts";
import { presentedKey } from "../redaction/credential.ts";
import { ExchangeHandler, type HandlerContext, type Outcome } from "../capture/exchange-handler.ts";
import type { Lease } from "../connection/slot-pool.ts";
import type { ConnectionSlot } from "../connection/connection-slot.ts";
import { createRequestPreparer, type PreparedRequest } from "./prepare-request.ts";
import { createRedactor } from "../redaction/redaction.ts";
import { createSignalWatch } from "../connection/signal-watch.ts";
import { openTargetConnections, type WarmUp } from "../connection/target-connections.ts";
import { parseHttpUrl } from "./target-url.ts";
import { TransportError } from "../connection/transport-error.ts";
import { createVolley } from "./volley.ts";

export interface WireOptions {
  readonly manifest: Manifest;
  readonly clock: Clock;
  readonly budget?: Budget;
  /** Called with every finished exchange, in the order in which they finish. */
  readonly onExchange?: (exchange: Exchange) => void;
  /** Gives sequence numbers when several wires share a run; counts from 1 by default. */
  readonly nextSeq?: () => number;
  /** Bytes of text kept of one body (1 MiB); bodies that are no text keep a sixteenth of it. */
  readonly captureBytes?: number;
  /** Whether SHA-256 of bodies is computed, `sha256` is empty otherwise; by default for all stages but load. */
  readonly digests?: boolean;
  /** False records the size of request bodies only: for load, where they are many and alike. */
  readonly requestBodies?: boolean;
  /** Bytes of a response body after which it is given up (as the manifest says). */
  readonly maxResponseBytes?: number;
  /** What the run keeps of answers, shared by its wires. */
  readonly account?: CaptureAccount;
  /** Bytes that answers of load may take while they are under way (192 MiB); they are not kept. */
  readonly loadBytes?: number;
  /** Pooled connections at a time; further requests wait (256). */
  readonly maxConnections?: number;
  /** Aborts what is in flight and refuses what comes after. */
  readonly signal?: AbortSignal;
  readonly userAgent?: string;
  /** Asked when a connection is there, right before the bytes are written; false ends the request unsent. */
  readonly mayWrite?: () => boolean;
}

/** The only thing that talks to a target. Redirects are not followed and nothing is retried. */
export interface Wire extends Sender {
  /**
   * Opens connections for requests of a stage (load, which has its own) without sending anything; resolves with how many
   * were opened and why others were not.
   */
  warm(connections: number | readonly number[], stage?: SendRequest["stage"]): Promise<WarmUp>;
  /** Requests that were sent or wait for a connection. */
  readonly inFlight: number;
  /** Ends everything in flight as aborted, with what was received of it; what comes after is sent. */
  giveUp(): void;
  /** Closes all connections; requests in flight end as aborted. */
  close(): Promise<void>;
}

const defaultCaptureBytes = 1_048_576;
/** As much as a run may hold and stay below 512 MB with what judges make of it. */
export const keptBytes = 100_663_296;
const defaultLoadBytes = 201_326_592;
const defaultMaxConnections = 256;
/** Throws a TransportError when the base URL of the manifest is not usable. */
export function createWire(options: WireOptions): Wire {
  const { manifest, clock } = options;
  const baseUrl = parseHttpUrl(manifest.target.baseUrl);
  const redactor = createRedactor(manifest);
  const bounds = bodyBounds(manifest.target);
  const textBytes = options.captureBytes ?? defaultCaptureBytes;
  const policyOf = (digests: boolean): CapturePolicy => ({ textBytes, binaryBytes: Math.ceil(textBytes / 16), digests });
  const contextOf = (digests: boolean, account: CaptureAccount, mask: (text: string) => string): HandlerContext => ({
    clock,
    arrivals,
    redactor: { ...redactor, mask },
    policy: policyOf(digests),
    maxResponseBytes: options.maxResponseBytes ?? bounds.maxBodyBytes,
    maxEvents: bounds.maxEvents,
    account,
    ...(options.mayWrite === undefined ? {} : { mayWrite: options.mayWrite }),
  });
  const arrivals = createArrivalMeter(() => clock.nowMs());
  const contexts = {
    kept: contextOf(options.digests ?? true, options.account ?? createCaptureAccount(keptBytes), redactor.maskDeep),
    load: contextOf(options.digests ?? false, createCaptureAccount(options.loadBytes ?? defaultLoadBytes), redactor.mask),
  };
  const contextFor = (request: SendRequest): HandlerContext => (request.stage === "load" ? contexts.load : contexts.kept);
  const keepRequestBodies = options.requestBodies ?? true;
  const prepare = createRequestPreparer({
    baseUrl,
    manifest,
    redactor,
    userAgent: options.userAgent ?? "assay",
    recordBody: (bytes, request) =>
      keepRequestBodies
        ? recordBody(bytes, contextFor(request).policy, redactor)
        : { bytes: bytes.length, sha256: "", truncated: bytes.length > 0 },
  });
  const nextSeq = options.nextSeq ?? countFrom(1);
  const slots = openTargetConnections({
    baseUrl,
    target: manifest.target,
    mask: redactor.mask,
    maskDeep: redactor.maskDeep,
    maxConnections: options.maxConnections ?? defaultMaxConnections,
  });
  const active = createMemberList<ExchangeHandler>();
  const watched = createSignalWatch();
  let inFlight = 0;
  let stopped: TransportError | null = null;
  /** Times that everything in flight was given up: what still waited for a connection must not be sent after. */
  let givenUp = 0;

  const cancelAll = (error: TransportError): void => {
    for (const handler of active.members.slice()) handler.cancel(error);
  };
  const stop = (message: string): void => {
    stopped ??= new TransportError("aborted", message);
    cancelAll(stopped);
  };
  const { signal } = options;
  if (signal?.aborted) stop("the run was stopped");
  signal?.addEventListener("abort", () => stop("the run was stopped"), { once: true });

  const lease = (request: SendRequest, prepared: PreparedRequest, beyondLimit: boolean): Lease | Promise<Lease> =>
    prepared.foreign ? slots.leaseForeign(prepared.origin) : slots.lease(request, beyondLimit);

  /** Runs one request over a leased slot; `arrange` may hold the bytes back and must start the deadline. */
  const transfer = (
    request: SendRequest,
    prepared: PreparedRequest,
    slot: ConnectionSlot,
    arrange: (handler: ExchangeHandler) => void,
    settle: (outcome: Outcome) => void,
  ): void => {
    const headTimeoutMs = request.timeoutMs ?? manifest.target.timeoutMs;
    const totalTimeoutMs = request.totalTimeoutMs ?? headTimeoutMs + bounds.bodyTotalMs;
    const idleTimeoutMs = request.timeoutMs ?? bounds.bodyIdleMs;
    const deadlines = { timeoutMs: headTimeoutMs, idleTimeoutMs, totalTimeoutMs };
    const handler = new ExchangeHandler(contextFor(request), slot, deadlines, (outcome) => {
      active.remove(handler);
      if (request.signal) watched.remove(request.signal, handler);
      settle(outcome);
    });
    if (stopped) {
      handler.cancel(stopped);
      return;
    }
    active.add(handler);
    if (request.signal) watched.add(request.signal, handler);
    arrange(handler);
    const { path, fields, body } = prepared;
    slot.dispatch({ path, method: request.method, fields, body }, handler);
  };

  const record = (request: SendRequest, seq: number, prepared: PreparedRequest | null, outcome: Outcome): Exchange =>
    new ExchangeFacts({
      seq,
      stage: request.stage,
      caseId: request.caseId,
      label: request.label,
      intent: request.intent,
      endpoint: request.endpoint,
      keyName: prepared?.foreign ? null : presentedKey(request.credential),
      attempt: request.attempt ?? 1,
      retryOf: request.retryOf ?? null,
      request: prepared?.record ?? { method: request.method, path: redactor.mask(request.path), headers: [], body: null },
      response: outcome.response,
      failure: outcome.failure,
      timing: {
        intendedMs: request.intendedMs ?? null,
        sentMs: outcome.sentMs ?? outcome.endMs,
        headersMs: outcome.headersMs,
        firstByteMs: outcome.firstByteMs,
        endMs: outcome.endMs,
        wallMs: outcome.wallMs,
      },
      connection: outcome.connection,
    });

  const unsent = (error: TransportError): Outcome => ({
    response: null,
    failure: { kind: error.kind, message: redactor.mask(error.message) },
    sentMs: null,
    wallMs: clock.wallMs(),
    headersMs: null,
    firstByteMs: null,
    endMs: clock.nowMs(),
    connection: null,
    laneStuck: false,
    heldBytes: 0,
  });

  interface Admitted {
    readonly prepared: PreparedRequest;
    readonly reservation: Reservation | null;
  }

  const admit = (request: SendRequest): Admitted | TransportError => {
    if (stopped) return stopped;
    if (request.signal?.aborted) return new TransportError("aborted", "the request was given up");
    let prepared: PreparedRequest;
    try {
      prepared = prepare(request);
    } catch (error) {
      if (error instanceof TransportError) return error;
      throw error;
    }
    const reservation = options.budget?.reserve(request) ?? null;
    if (reservation && "refused" in reservation) return new TransportError("budget", reservation.refused);
    return { prepared, reservation };
  };

  const finish = (request: SendRequest, seq: number, admitted: Admitted | null, outcome: Outcome): Exchange => {
    const exchange = record(request, seq, admitted?.prepared ?? null, outcome);
    admitted?.reservation?.settle(exchange);
    options.onExchange?.(exchange);
    if (request.stage === "load") contexts.load.account.release(outcome.heldBytes);
    return exchange;
  };

  // One promise a request and no function that waits: what a million requests do not allocate need not be collected.
  const send = (request: SendRequest): Promise<Exchange> =>
    new Promise((resolve, reject) => {
      const seq = nextSeq();
      const admitted = admit(request);
      if (admitted instanceof TransportError) {
        resolve(finish(request, seq, null, unsent(admitted)));
        return;
      }
      inFlight += 1;
      const admittedAt = givenUp;
      const carry = (leased: Lease): void => {
        if (admittedAt !== givenUp) {
          inFlight -= 1;
          leased.release(false);
          resolve(finish(request, seq, admitted, unsent(new TransportError("aborted", "given up before it was sent"))));
          return;
        }
        transfer(request, admitted.prepared, leased.slot, startDeadline, (outcome) => {
          inFlight -= 1;
          leased.release(outcome.laneStuck);
          try {
            resolve(finish(request, seq, admitted, outcome));
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        });
      };
      const leased = lease(request, admitted.prepared, false);
      if (leased instanceof Promise) leased.then(carry).catch(reject);
      else carry(leased);
    });

  const burst = async (requests: readonly SendRequest[]): Promise<readonly Exchange[]> => {
    const entries = requests.map((request) => ({ request, seq: nextSeq(), admitted: admit(request) }));
    inFlight += entries.length;
    try {
      const volley = createVolley(entries.filter(({ admitted }) => !(admitted instanceof TransportError)).length);
      return await Promise.all(
        entries.map(async ({ request, seq, admitted }) => {
          if (admitted instanceof TransportError) return finish(request, seq, null, unsent(admitted));
          const leased = await lease(request, admitted.prepared, true);
          const outcome = await volley.join(
            leased.slot,
            (arrange) => new Promise((resolve) => transfer(request, admitted.prepared, leased.slot, arrange, resolve)),
          );
          leased.release(outcome.laneStuck);
          return finish(request, seq, admitted, outcome);
        }),
      );
    } finally {
      inFlight -= entries.length;
    }
  };

  return {
    send,
    burst,
    warm: (connections, stage = "load") => slots.warm(connections, stage),
    get inFlight() {
      return inFlight;
    },
    giveUp() {
      givenUp += 1;
      cancelAll(new TransportError("aborted", "the request was given up"));
    },
    async close() {
      stop("the wire was closed");
      await slots.close();
    },
  };
}

function startDeadline(handler: ExchangeHandler): void {
  handler.startDeadline();
}

function countFrom(first: number): () => number {
  let next = first;
  return () => next++;
}
