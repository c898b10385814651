import type { Socket } from "node:net";
import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { Identification } from "../engine/admission.ts";
import { keyStateAt, type KeyRecord, type KeyState } from "../engine/keys/key-record.ts";
import type { Refusal } from "../engine/refusal.ts";
import type { Call } from "./call.ts";
import { asksForStream } from "./asks-for-stream.ts";

/** Who is calling: the engine's answer, and the ways in which real services get the question wrong. */
export function identifyCaller(call: Call): Identification {
  const { engine, switches } = call.service;
  const presented = presentedAuthorization(call);
  const identification = engine.identify(presented);
  if (identification.kind === "known") {
    if (switches.on("auth/new-key-never-works") && engine.clock.wallMs() - identification.key.createdAtMs < newKeyMs) {
      return { kind: "refused", refusal: invalidKey };
    }
    if (switches.on("auth/streams-closed") && asksForStream(call)) return { kind: "refused", refusal: invalidKey };
    if (switches.on("auth/once-per-connection")) connectionKeys.set(call.incoming.socket, identification.key);
    return identification;
  }
  const wrongly = wronglyAcceptedKey(call, presented);
  return wrongly === null ? { kind: "refused", refusal: unauthorized(identification.refusal) } : { kind: "known", key: wrongly };
}

const invalidKey: Refusal = { status: 401, code: "invalid_api_key", message: "The API key is not valid." };

/** Age below which the defect `auth/new-key-never-works` takes a key for new. */
const newKeyMs = 3_600_000;

/** One condition, one code: why a key is bad is reported in words only. */
function unauthorized(refusal: Refusal): Refusal {
  return refusal.code === "missing_api_key" ? refusal : { ...refusal, code: "invalid_api_key" };
}

/** Keys that the defect `auth/once-per-connection` remembers. */
const connectionKeys = new WeakMap<Socket, KeyRecord>();

/** The Authorization header as the service chooses to read it. */
function presentedAuthorization(call: Call): string | undefined {
  const { switches } = call.service;
  const header = call.incoming.headers.authorization;
  if (header === undefined) return undefined;
  if (
    switches.on("auth/field-name-case-sensitive") &&
    !call.incoming.rawHeaders.some((name) => /^[Aa]uthorization$/.test(name))
  ) {
    return undefined;
  }
  if (switches.on("auth/bare-key") && /^\S+$/.test(header) && !/^bearer$/i.test(header)) return `Bearer ${header}`;
  if (switches.on("auth/space-optional") && /^Bearer\S/.test(header)) return `Bearer ${header.slice(6)}`;
  if (switches.on("auth/any-scheme") && /^(?:Token|Basic)\s/i.test(header)) return `Bearer ${otherSchemeToken(header)}`;
  if (switches.on("auth/scheme-any-case") && /^bearer /i.test(header)) return `Bearer ${header.slice(7)}`;
  return header;
}

/** `Token <key>`, or the user of `Basic base64(key:)`. */
function otherSchemeToken(header: string): string {
  const value = header.slice(header.indexOf(" ") + 1).trim();
  return /^basic/i.test(header) ? (Buffer.from(value, "base64").toString("latin1").split(":")[0] ?? "") : value;
}

function wronglyAcceptedKey(call: Call, presented: string | undefined): KeyRecord | null {
  const { engine, switches } = call.service;
  const anyone = (): KeyRecord | null => engine.keys.byName("primary") ?? engine.keys.list()[0] ?? null;
  if (presented === undefined) {
    if (switches.on("auth/not-required")) return anyone();
    if (switches.on("auth/models-public") && call.endpoint === "models") return anyone();
    if (switches.on("auth/usage-public") && call.endpoint === "usage") return anyone();
    if (switches.on("auth/workspaces-public") && call.endpoint === "workspaces") return anyone();
    if (switches.on("auth/agents-public") && call.endpoint === "agents") return engine.keys.byName("agentWrite") ?? null;
    if (switches.on("auth/verify-public") && call.endpoint === "verify") return anyone();
    if (switches.on("auth/settings-public") && call.endpoint?.endsWith("-settings") === true)
      return engine.keys.byName("admin") ?? null;
    return switches.on("auth/once-per-connection") ? (connectionKeys.get(call.incoming.socket) ?? null) : null;
  }
  const bearer = /^Bearer(?: (.*))?$/.exec(presented);
  if (bearer === null) return null;
  const token = bearer[1] ?? "";
  if (token === "") return switches.on("auth/empty-token") ? anyone() : null;
  if (switches.on("auth/any-token")) return engine.keys.bySecret(token) ?? anyone();
  if (switches.on("auth/key-case-insensitive")) {
    const lower = token.toLowerCase();
    return engine.keys.list().find((key) => usable(call, key) && key.secret.toLowerCase() === lower) ?? null;
  }
  if (switches.on("auth/key-prefix-compared")) {
    return engine.keys.list().find((key) => usable(call, key) && key.secret.slice(0, 16) === token.slice(0, 16)) ?? null;
  }
  const state = stateOf(call, engine.keys.bySecret(token));
  const wrong =
    (state === "expired" && switches.on("auth/expired-accepted")) ||
    (state === "revoked" && switches.on("auth/revoked-accepted")) ||
    (state === "rotated" && switches.on("auth/rotated-accepted"));
  return wrong ? (engine.keys.bySecret(token) ?? null) : null;
}

function stateOf(call: Call, key: KeyRecord | undefined): KeyState | null {
  return key === undefined ? null : keyStateAt(key, call.service.engine.clock.wallMs());
}

function usable(call: Call, key: KeyRecord): boolean {
  return stateOf(call, key) === "active";
}

const writeEndpoints: ReadonlySet<EndpointId> = new Set(["agents", "key-settings", "account-settings"]);

/** 402 or 403 for a known key, null when it may call the endpoint. */
export function authorizeCaller(call: Call, key: KeyRecord, endpoint: EndpointId): Refusal | null {
  const { engine, switches } = call.service;
  if (endpoint === "agents") {
    const barred = (key.scopes.includes("admin") ? "auth/admin-refused-on-agents" : "auth/agent-write-refused") as string;
    if ((key.scopes.includes("agent:write") || key.scopes.includes("admin")) && switches.on(barred)) {
      return { status: 403, code: "insufficient_scope", message: "The API key lacks a scope." };
    }
  }
  const refusal = engine.authorize(key, endpoint);
  if (refusal?.status === 402) {
    const { standing } = engine.keys.account(key.account);
    if (switches.on("auth/past-due-served") && standing === "past-due") return null;
    if (switches.on("auth/no-credit-served") && standing === "no-credit") return null;
    if (switches.on("auth/payment-only-for-chat") && endpoint !== "chat") return null;
  }
  if (refusal?.status === 403) {
    if (switches.on("auth/scope-ignored") && writeEndpoints.has(endpoint)) return null;
    if (switches.on("auth/scope-ignored-on-settings") && endpoint !== "agents" && writeEndpoints.has(endpoint)) return null;
    if (switches.on("auth/scope-ignored-on-agents") && endpoint === "agents") return null;
  }
  return refusal;
}
