import type { FastifyInstance } from "fastify";
import type { Engine } from "../engine/engine.ts";
import { keyPropagationMs } from "../engine/keys/fixtures.ts";
import { type AccountRecord, type KeyRecord, ordinaryKey } from "../engine/keys/key-record.ts";

type KeyDraft = Partial<KeyRecord> & { readonly name?: string; readonly pending?: boolean };

/**
 * GET /keys lists keys with their secrets. POST /keys adds one, or changes the one of that name: any members of a key record,
 * `name` mandatory; `"pending": true` lets it take effect only after the propagation time. GET and POST /accounts likewise.
 */
export function keyRoutes(app: FastifyInstance, engine: Engine): void {
  const { keys, clock } = engine;
  app.get("/keys", () => ({ keys: keys.list() }));
  app.post<{ Body: KeyDraft | null }>("/keys", ({ body }) => {
    const { pending = false, name, ...members } = body ?? {};
    if (typeof name !== "string" || name === "") throw new Error("A key needs a name.");
    const key = { ...(keys.byName(name) ?? newKey(name, clock.wallMs(), pending)), ...members, name };
    keys.put(key);
    return key;
  });
  app.get("/accounts", () => ({ accounts: keys.accounts() }));
  app.post<{ Body: Partial<AccountRecord> | null }>("/accounts", ({ body }) => {
    if (typeof body?.id !== "string") throw new Error("An account needs an id.");
    const known = keys.accounts().find(({ id }) => id === body.id);
    const account = { standing: "good" as const, account_spend_cap: null, ...known, ...body, id: body.id };
    keys.putAccount(account);
    return account;
  });
}

function newKey(name: string, nowMs: number, pending: boolean): KeyRecord {
  const suffix = `${name.toLowerCase()}${Math.floor(nowMs).toString(36)}`;
  return {
    id: `key_${suffix}`,
    name,
    secret: `nim_live_${suffix}`,
    plan: "pro",
    ...ordinaryKey,
    createdAtMs: nowMs,
    effectiveAtMs: pending ? nowMs + keyPropagationMs : nowMs,
  };
}
