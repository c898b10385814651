import type { FastifyRequest } from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { KeyRecord } from "../engine/keys/key-record.ts";
import type { SeenCall } from "./seen-call.ts";
import type { Fault } from "./fault-rules.ts";
import type { Service } from "./service.ts";

/** One request on its way through the service. */
export interface Call extends SeenCall {
  readonly service: Service;
  readonly request: FastifyRequest;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Monotonic nanoseconds when the request had been read, body included; only when the client asked for stamps. */
  readonly receivedNs: bigint | null;
  key: KeyRecord | null;
  /** Fault that strikes this request; set once it was admitted. */
  fault: Fault | null;
  /** Aborts when the client goes away; made on first use. */
  signal(): AbortSignal;
}

export function createCall(
  service: Service,
  request: FastifyRequest,
  response: ServerResponse,
  endpoint: EndpointId | null,
): Call {
  let controller: AbortController | null = null;
  return {
    service,
    request,
    incoming: request.raw,
    response,
    endpoint,
    requestId: service.nextId("req_"),
    receivedNs: request.raw.headers[stampHeader] === "1" ? process.hrtime.bigint() : null,
    key: null,
    fault: null,
    signal: () => {
      if (controller === null) {
        const made = new AbortController();
        controller = made;
        // `close` also follows a complete response; nobody waits on the signal then.
        response.once("close", () => {
          if (!response.writableFinished) made.abort(new Error("the client went away"));
        });
        if (response.destroyed) made.abort(new Error("the client went away"));
      }
      return controller.signal;
    },
  };
}

/** Opt-in of the load engine's calibration: the service writes its own monotonic time into each event. */
export const stampHeader = "x-reference-stamp";
