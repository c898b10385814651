import type { FastifyRequest } from "fastify";
import type { IncomingMessage } from "node:http";
import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { Engine } from "../engine/engine.ts";
import type { KeyRecord } from "../engine/keys/key-record.ts";

/** The part of a request that seams may look at. */
export interface SeenCall {
  readonly service: { readonly engine: Engine };
  readonly request: Pick<FastifyRequest, "body" | "params">;
  readonly incoming: Pick<IncomingMessage, "url" | "headers" | "socket">;
  /** null: no route of the specification. */
  readonly endpoint: EndpointId | null;
  /** Known after authentication. */
  readonly key: KeyRecord | null;
}

/** Whether the caller wants events; also where the body was never read. */
export function asksForStream({ request, endpoint }: SeenCall): boolean {
  return endpoint === "chat" && Buffer.isBuffer(request.body) && /"stream"\s*:\s*true/.test(request.body.toString());
}
