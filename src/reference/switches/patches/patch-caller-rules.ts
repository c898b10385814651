import { type EndpointId, endpoints } from "../../../core/exchange/endpoint.ts";
import { type KeyRecord, keyStateAt } from "../../engine/keys/key-record.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { type Caller, lawfulCallerRules, type CallerRules } from "../../http/caller-rules.ts";
import type { Switchboard } from "../switch.ts";
import { keyPrefix } from "./key-prefix.ts";

/** Age below which the defect `auth/new-key-never-works` takes a key for new. */
const newKeyMs = 3_600_000;

const invalidKey: Refusal = { status: 401, code: "invalid_api_key", message: "The API key is not valid." };
const lacksScope: Refusal = { status: 403, code: "insufficient_scope", message: "The API key lacks a scope." };
const writeEndpoints: ReadonlySet<EndpointId> = new Set(["agents", "key-settings", "account-settings"]);

export function patchCallerRules(switches: Switchboard): CallerRules {
  const lawful = lawfulCallerRules;
  /** The key that a connection was last used with, for the defect `auth/once-per-connection`. */
  const remembered = new WeakMap<object, KeyRecord>();
  return {
    authorization: (value, rawHeaders) => {
      const header = lawful.authorization(value, rawHeaders);
      return header === undefined ? keyElsewhere(switches, rawHeaders) : readLoosely(switches, header, rawHeaders);
    },
    identification: (identified, caller) => {
      if (switches.on("errors/encoded-path-500") && /^[^?]*%(?!2f)/.test(caller.path))
        throw new Error("no route under that name");
      const found = lawful.identification(identified, caller);
      if (found.kind === "known") {
        const isNew = caller.nowMs - found.key.createdAtMs < newKeyMs;
        if (isNew && switches.on("auth/new-key-never-works")) return { kind: "refused", refusal: invalidKey };
        if (switches.on("auth/streams-closed") && caller.asksForStream()) return { kind: "refused", refusal: invalidKey };
        if (switches.on("auth/once-per-connection")) remembered.set(caller.connection, found.key);
        return found;
      }
      const key =
        wronglyAcceptedKey(switches, caller, remembered.get(caller.connection) ?? null) ?? ownerByPrefix(switches, caller);
      return key === null ? found : { kind: "known", key };
    },
    permission: (decided, key, endpoint, standing) => {
      if (endpoint === "agents" && isRefusedOnAgents(switches, key)) return lacksScope;
      const refusal = lawful.permission(decided, key, endpoint, standing);
      if (refusal?.status === 402) {
        if (switches.on("auth/past-due-served") && standing === "past-due") return null;
        if (switches.on("auth/no-credit-served") && standing === "no-credit") return null;
        if (switches.on("auth/unpaid-reads-usage") && endpoint === "usage") return null;
        if (switches.on("auth/payment-only-for-chat") && endpoint !== "chat") return null;
      }
      if (refusal?.status === 403 && writeEndpoints.has(endpoint)) {
        if (switches.on("auth/scope-ignored")) return null;
        if (switches.on(endpoint === "agents" ? "auth/scope-ignored-on-agents" : "auth/scope-ignored-on-settings")) return null;
      }
      return refusal;
    },
    // A route without its guard seldom validates its requests either.
    isRequestChecked: (endpoint, authorization) =>
      !(endpoint === "agents" && authorization === undefined && switches.on("auth/agents-public")) &&
      lawful.isRequestChecked(endpoint, authorization),
    description: (body, key) =>
      switches.on("auth/key-echoed") ? { ...body, secret: key?.secret } : lawful.description(body, key),
  };
}

/** A key in a field of another kind of service, as if it were presented rightly. */
function keyElsewhere(switches: Switchboard, rawHeaders: readonly string[]): string | undefined {
  const valueOf = (name: string): string | undefined => {
    const at = rawHeaders.findIndex((word, place) => place % 2 === 0 && word.toLowerCase() === name);
    return at < 0 ? undefined : rawHeaders[at + 1];
  };
  const key =
    (switches.on("auth/key-in-api-key-field") ? valueOf("api-key") : undefined) ??
    (switches.on("auth/key-in-cookie") ? /api_key=([^;]+)/.exec(valueOf("cookie") ?? "")?.[1] : undefined);
  return key === undefined ? undefined : `Bearer ${key}`;
}

/** The key that the first characters of the presented one belong to, where requests with that key itself are refused. */
function ownerByPrefix(switches: Switchboard, { authorization, endpoint, keys }: Caller): KeyRecord | null {
  const prefix = keyPrefix(authorization ?? "");
  const key = keys.list().find(({ secret }) => prefix.length > 22 && `Bearer ${secret}`.startsWith(prefix));
  if (key === undefined || endpoint === null || !endpoints[endpoint].billable) return null;
  const owes = keys.account(key.account).standing !== "good";
  const isMeant =
    (owes && switches.on("auth/standing-before-key")) || (key.name === "exhausted" && switches.on("auth/cap-before-key"));
  return isMeant ? key : null;
}

function isRefusedOnAgents(switches: Switchboard, { scopes }: KeyRecord): boolean {
  if (scopes.includes("admin")) return switches.on("auth/admin-refused-on-agents");
  return scopes.includes("agent:write") && switches.on("auth/agent-write-refused");
}

/** The field as services read it that are not strict about its name, its scheme or the space after it. */
function readLoosely(switches: Switchboard, header: string, rawHeaders: readonly string[]): string | undefined {
  if (switches.on("auth/basic-pair") && header.startsWith("Basic ")) return `Bearer ${otherSchemeToken(header)}`;
  if (switches.on("auth/field-name-case-sensitive") && !rawHeaders.some((name) => /^[Aa]uthorization$/.test(name))) {
    return undefined;
  }
  if (switches.on("auth/bare-key") && /^\S+$/.test(header) && !/^bearer$/i.test(header)) return `Bearer ${header}`;
  if (switches.on("auth/space-optional") && /^Bearer\S/.test(header)) return `Bearer ${header.slice(6)}`;
  if (switches.on("auth/any-scheme") && /^(?:Token|Basic)\s/i.test(header)) return `Bearer ${otherSchemeToken(header)}`;
  if (switches.on("auth/text-behind-key-ignored")) return header.replace(/^(Bearer [^\s,;]+)[\s,;].*$/, "$1");
  const isAnyCase = switches.on("auth/scheme-any-case") || switches.on("limits/counts-by-credential-as-sent");
  if (isAnyCase && /^bearer /i.test(header)) return `Bearer ${header.slice(7)}`;
  return header;
}

/** `Token <key>`, or the user of `Basic base64(key:)`. */
function otherSchemeToken(header: string): string {
  const value = header.slice(header.indexOf(" ") + 1).trim();
  return /^basic/i.test(header) ? (Buffer.from(value, "base64").toString("latin1").split(":")[0] ?? "") : value;
}

/** Endpoints whose guard is missing, with the key that an anonymous caller gets there. */
const unguarded: readonly (readonly [id: string, endpoints: readonly EndpointId[], name: string])[] = [
  ["auth/models-public", ["models"], "primary"],
  ["auth/usage-public", ["usage"], "primary"],
  ["auth/workspaces-public", ["workspaces"], "primary"],
  ["auth/agents-public", ["agents"], "agentWrite"],
  ["auth/verify-public", ["verify"], "primary"],
  ["auth/settings-public", ["key-settings", "account-settings"], "admin"],
];

/** Whether a guard that compares paths as they are written takes this one for none of its own. */
function isOpenAsWritten(switches: Switchboard, path: string): boolean {
  if (switches.on("auth/encoded-path-open") && /^[^?]*%/.test(path)) return true;
  return switches.on("auth/other-prefix-open") && !path.startsWith("/v1/");
}

/** The key that a careless service lets a refused caller have; null: it is refused rightly. */
function wronglyAcceptedKey(switches: Switchboard, caller: Caller, remembered: KeyRecord | null): KeyRecord | null {
  const { keys, endpoint, nowMs } = caller;
  const anyone = (): KeyRecord | null => keys.byName("primary") ?? keys.list()[0] ?? null;
  if (caller.authorization === undefined) {
    if (switches.on("auth/not-required")) return anyone();
    if (isOpenAsWritten(switches, caller.path)) return anyone();
    const open = unguarded.find(([id, endpoints]) => endpoint !== null && endpoints.includes(endpoint) && switches.on(id));
    if (open !== undefined) return open[2] === "primary" ? anyone() : (keys.byName(open[2]) ?? null);
    return switches.on("auth/once-per-connection") ? remembered : null;
  }
  const bearer = /^Bearer(?: (.*))?$/.exec(caller.authorization);
  if (bearer === null) return null;
  const token = bearer[1] ?? "";
  if (token === "") return switches.on("auth/empty-token") ? anyone() : null;
  const active = (is: (secret: string) => boolean): KeyRecord | null =>
    keys.list().find((key) => keyStateAt(key, nowMs) === "active" && is(key.secret)) ?? null;
  const presented = keys.bySecret(token) ?? null;
  if (switches.on("auth/any-token")) return presented ?? anyone();
  if (switches.on("auth/key-case-insensitive")) return active((secret) => secret.toLowerCase() === token.toLowerCase());
  if (switches.on("auth/key-prefix-compared")) return active((secret) => secret.slice(0, 16) === token.slice(0, 16));
  const state = presented === null ? null : keyStateAt(presented, nowMs);
  const isAccepted =
    (state === "expired" && switches.on("auth/expired-accepted")) ||
    (state === "revoked" && switches.on("auth/revoked-accepted")) ||
    (state === "rotated" && switches.on("auth/rotated-accepted")) ||
    (state === "rotated" && (endpoint === "models" || endpoint === "usage") && switches.on("auth/rotated-reads"));
  return isAccepted ? presented : null;
}
