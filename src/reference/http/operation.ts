import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { Ticket, Work, Identification } from "../engine/admission.ts";
import { faultHeader } from "./fault-rules.ts";
import { createCall, type Call } from "./call.ts";
import { routeNotFound, serverProblem, type Problem } from "./problem.ts";
import { respondCrash, respondLimit, respondProblem } from "./respond.ts";
import type { Service } from "./service.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { KeyRecord } from "../engine/keys/key-record.ts";
import type { Refusal } from "../engine/refusal.ts";
import { asksForStream } from "./seen-call.ts";

/** One operation of the API: reading its request is apart from doing its work, because limits are asked in between. */
export interface Operation<Input> {
  readonly endpoint: EndpointId;
  /** The validated request, or why it is refused (404, 422). */
  read(call: Call): Read<Input> | Promise<Read<Input>>;
  /** The most that the work will cost; everything that needs no tokens costs nothing. */
  work?(input: Input): Omit<Work, "endpoint" | "rawUrl" | "fields" | "signal">;
  /** Does the work, settles the ticket and writes the response. */
  serve(call: Call, input: Input, ticket: Ticket): void | Promise<void>;
}

export type Read<Input> =
  | { readonly kind: "read"; readonly input: Input }
  | { readonly kind: "refused"; readonly problem: Problem };

export const freeWork = {
  streaming: false,
  promptTokens: 0,
  cachedTokens: 0,
  maxCompletionTokens: 0,
  requestedMaxTokens: null,
  maxCostMicros: 0,
} as const;

/**
 * The way of every request (order of checks: see `engine/refusal.ts`): 401, 402, 403, then 404 and 422, then the limits, then
 * a fault if one was ordered, then the work.
 */
export function handle<Input>(
  service: Service,
  operation: Operation<Input>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    reply.hijack();
    const call = createCall(service, request, reply.raw, operation.endpoint);
    try {
      await run(call, operation);
    } catch (error) {
      service.onCrash(error);
      respondCrash(call);
    }
  };
}

async function run<Input>(call: Call, operation: Operation<Input>): Promise<void> {
  const { engine, seams } = call.service;
  const { endpoint } = operation;
  const identification = identifyCaller(call);
  if (identification.kind === "refused") {
    const early = seams.operations.readsBeforeRefusing(endpoint) ? await operation.read(call) : null;
    await seams.operations.refused(identification.refusal, call);
    return respondProblem(call, early?.kind === "refused" ? early.problem : identification.refusal);
  }
  const { key } = identification;
  call.key = key;
  const barred = authorizeCaller(call, key, endpoint);
  if (barred !== null) {
    await seams.operations.refused(barred, call);
    return respondProblem(call, barred);
  }
  if (!seams.operations.isImplemented(endpoint)) return respondProblem(call, routeNotFound);
  const framing = seams.reading.framingProblem(call);
  const read: Read<Input> = framing === null ? await operation.read(call) : { kind: "refused", problem: framing };
  if (read.kind === "refused") {
    await seams.operations.refused(read.problem, call);
    return respondProblem(call, read.problem);
  }
  const work = operation.work?.(read.input) ?? freeWork;
  const admission = await engine.admit(key, {
    endpoint,
    rawUrl: call.incoming.url ?? "",
    fields: call.incoming.headers,
    ...work,
    // Made only for a request that has to wait.
    get signal() {
      return call.signal();
    },
  });
  switch (admission.kind) {
    case "refused":
      await seams.operations.refused(admission.refusal, call);
      return respondLimit(call, admission.refusal, admission.rateHeaders);
    case "abandoned":
      return void call.response.destroy();
    case "admitted":
      return seams.operations.serving(call, admission.ticket, (ticket) => serveAdmitted(call, operation, read.input, ticket));
  }
}

async function serveAdmitted<Input>(call: Call, operation: Operation<Input>, input: Input, ticket: Ticket): Promise<void> {
  const { engine, seams } = call.service;
  const { clock } = engine;
  try {
    call.fault = strike(call);
    const idleMs = seams.operations.idleMs(call.requestId);
    if (idleMs > 0) await clock.sleepUntil(clock.wallMs() + idleMs, call.signal());
    if (call.fault !== null && (await failsBeforeWork(call, ticket))) return;
    await operation.serve(call, await seams.operations.input(input, call), ticket);
  } catch (error) {
    settleFailed(ticket);
    // A client that went away is no failure of the service.
    if (call.response.destroyed) return;
    call.service.onCrash(error);
    respondCrash(call, ticket);
  }
}

function strike(call: Call): Call["fault"] {
  const { service, incoming, endpoint, key } = call;
  const unordered = service.seams.operations.fault(call);
  if (unordered !== null) return unordered;
  const trigger = incoming.headers[faultHeader];
  return service.faults.strike({ endpoint, key: key?.name ?? null, trigger: typeof trigger === "string" ? trigger : undefined });
}

/** Faults that need nothing of the operation; true when the request is over. */
async function failsBeforeWork(call: Call, ticket: Ticket): Promise<boolean> {
  const { fault, response, service } = call;
  const { clock } = service.engine;
  if (fault?.hang === "before-headers") {
    settleFailed(ticket);
    return true;
  }
  if (fault?.cut === "reset-before-headers") {
    settleFailed(ticket);
    call.incoming.socket.resetAndDestroy();
    return true;
  }
  if (fault?.delayBeforeHeadersMs !== undefined)
    await clock.sleepUntil(clock.wallMs() + fault.delayBeforeHeadersMs, call.signal());
  if (fault?.closeSilently === true) response.once("finish", () => call.incoming.socket.end());
  if (fault?.status === undefined) return false;
  settleFailed(ticket);
  respondProblem(call, serverProblem(fault.status, fault.retryAfterSeconds), ticket);
  return true;
}

/** Returns what the request held; it produced nothing. */
export function settleFailed(ticket: Ticket): void {
  ticket.settle({ ended: "failed", promptTokens: 0, completionTokens: 0, costMicros: 0 });
}

/** The end of an operation that used no tokens. */
export function settleFree(ticket: Ticket): void {
  ticket.settle({ ended: "completed", promptTokens: 0, completionTokens: 0, costMicros: 0 });
}

/** Identifies the caller. */
export function identifyCaller(call: Call): Identification {
  const { incoming, endpoint } = call;
  const { engine, seams } = call.service;
  const authorization = seams.callers.authorization(incoming.headers.authorization, incoming.rawHeaders);
  const found = engine.identify(authorization);
  // One condition, one code: why a key is bad is reported in words only.
  const isBad = found.kind !== "known" && found.refusal.code !== "missing_api_key";
  return seams.callers.identification(
    isBad ? { kind: "refused", refusal: { ...found.refusal, code: "invalid_api_key" } } : found,
    {
      authorization,
      endpoint,
      path: incoming.url ?? "",
      connection: incoming.socket,
      asksForStream: () => asksForStream(call),
      keys: engine.keys,
      nowMs: engine.clock.wallMs(),
    },
  );
}

/** 402 or 403 for a known key, null when it may call the endpoint. */
function authorizeCaller(call: Call, key: KeyRecord, endpoint: EndpointId): Refusal | null {
  const { engine, seams } = call.service;
  const { standing } = engine.keys.account(key.account);
  return seams.callers.permission(engine.authorize(key, endpoint), key, endpoint, standing);
}
