import type { Operation } from "../operation.ts";
import { settleFree } from "../operation.ts";
import { readJson } from "../read-body.ts";
import { respondJson } from "../respond.ts";
import { unixSeconds } from "../service.ts";

/** Paths that the specification names without showing their payloads: only their authentication and scopes matter. */

export const agents: Operation<{ readonly name: string }> = {
  endpoint: "agents",
  read: (call) => {
    // Whoever forgets the guard of a route seldom validates it either.
    const unguarded = call.incoming.headers.authorization === undefined && call.service.switches.on("auth/agents-public");
    return unguarded ? { kind: "read", input: { name: "agent" } } : readJson<{ readonly name: string }>(call, "agents");
  },
  serve: (call, { name }, lease) => {
    const { service } = call;
    settleFree(lease);
    respondJson(
      call,
      200,
      { id: service.nextId("agent_"), object: "agent", name, created: unixSeconds(service) },
      lease.rateHeaders(),
    );
  },
};

export const workspaces: Operation<null> = {
  endpoint: "workspaces",
  read: () => ({ kind: "read", input: null }),
  serve: (call, _, lease) => {
    settleFree(lease);
    respondJson(call, 200, { object: "list", data: [{ id: call.key?.workspace, object: "workspace" }] }, lease.rateHeaders());
  },
};

export const verify: Operation<null> = {
  endpoint: "verify",
  read: () => ({ kind: "read", input: null }),
  serve: (call, _, lease) => {
    settleFree(lease);
    const { key, service } = call;
    const leaked = service.switches.on("auth/key-echoed") ? { secret: key?.secret } : {};
    const body = { object: "key", id: key?.id, plan: key?.plan, scopes: key?.scopes, workspace: key?.workspace, ...leaked };
    respondJson(call, 200, body, lease.rateHeaders());
  },
};
