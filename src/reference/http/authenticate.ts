import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { Identification } from "../engine/admission.ts";
import type { KeyRecord } from "../engine/keys/key-record.ts";
import type { Refusal } from "../engine/refusal.ts";
import type { Call } from "./call.ts";
import { asksForStream } from "./seen-call.ts";

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
      connection: incoming.socket,
      asksForStream: () => asksForStream(call),
      keys: engine.keys,
      nowMs: engine.clock.wallMs(),
    },
  );
}

/** 402 or 403 for a known key, null when it may call the endpoint. */
export function authorizeCaller(call: Call, key: KeyRecord, endpoint: EndpointId): Refusal | null {
  const { engine, seams } = call.service;
  const { standing } = engine.keys.account(key.account);
  return seams.callers.permission(engine.authorize(key, endpoint), key, endpoint, standing);
}
