import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import { keyStateAt, type KeyRecord } from "../../engine/keys/key-record.ts";
import type { Caller } from "../../http/caller-rules.ts";
import type { Switchboard } from "../switch.ts";

/** Endpoints whose guard is missing, with the key that an anonymous caller gets there. */
const unguarded: readonly (readonly [id: string, endpoints: readonly EndpointId[], name: string])[] = [
  ["auth/models-public", ["models"], "primary"],
  ["auth/usage-public", ["usage"], "primary"],
  ["auth/workspaces-public", ["workspaces"], "primary"],
  ["auth/agents-public", ["agents"], "agentWrite"],
  ["auth/verify-public", ["verify"], "primary"],
  ["auth/settings-public", ["key-settings", "account-settings"], "admin"],
];

/** The key that a careless service lets a refused caller have; null: it is refused rightly. */
export function wronglyAcceptedKey(switches: Switchboard, caller: Caller, remembered: KeyRecord | null): KeyRecord | null {
  const { keys, endpoint, nowMs } = caller;
  const anyone = (): KeyRecord | null => keys.byName("primary") ?? keys.list()[0] ?? null;
  if (caller.authorization === undefined) {
    if (switches.on("auth/not-required")) return anyone();
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
    (state === "rotated" && switches.on("auth/rotated-accepted"));
  return isAccepted ? presented : null;
}
