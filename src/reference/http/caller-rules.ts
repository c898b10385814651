import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { Identification } from "../engine/admission.ts";
import type { AccountRecord, KeyRecord } from "../engine/keys/key-record.ts";
import type { KeyStore } from "../engine/keys/key-store.ts";
import type { Refusal } from "../engine/refusal.ts";

/** The facts about a caller before it is identified. */
export interface Caller {
  /** The Authorization field as the service read it. */
  readonly authorization: string | undefined;
  readonly endpoint: EndpointId | null;
  /** As it was written. */
  readonly path: string;
  /** Equal for the requests of one connection. */
  readonly connection: object;
  readonly asksForStream: () => boolean;
  readonly keys: KeyStore;
  readonly nowMs: number;
}

/** The rules that identify a caller, and the rights of a known one. */
export interface CallerRules {
  /** Value of the Authorization field; `rawHeaders` has its name as it was spelled. */
  readonly authorization: (value: string | undefined, rawHeaders: readonly string[]) => string | undefined;
  readonly identification: (found: Identification, caller: Caller) => Identification;
  /** null: the key may call the endpoint. */
  readonly permission: (
    refusal: Refusal | null,
    key: KeyRecord,
    endpoint: EndpointId,
    standing: AccountRecord["standing"],
  ) => Refusal | null;
  /** Whether the request of a caller who was let through is validated. */
  readonly isRequestChecked: (endpoint: EndpointId, authorization: string | undefined) => boolean;
  /** The answer of GET /v1/verify about the key of its caller. */
  readonly description: (body: object, key: KeyRecord | null) => object;
}

export const lawfulCallerRules: CallerRules = {
  authorization: (value) => value,
  identification: (found) => found,
  permission: (refusal) => refusal,
  isRequestChecked: () => true,
  description: (body) => body,
};
