import type { Operation } from "../operation.ts";
import { settleFree } from "../operation.ts";
import { readJson } from "../read-body.ts";
import { respondJson } from "../respond.ts";
import { unixSeconds } from "../service.ts";

/** Paths that the specification names without showing their payloads: only their authentication and scopes matter. */

export const agents: Operation<{ readonly name: string }> = {
  endpoint: "agents",
  read: (call) => {
    const isChecked = call.service.seams.callers.isRequestChecked("agents", call.incoming.headers.authorization);
    return isChecked ? readJson<{ readonly name: string }>(call, "agents") : { kind: "read", input: { name: "agent" } };
  },
  serve: (call, { name }, ticket) => {
    const { service } = call;
    settleFree(ticket);
    respondJson(
      call,
      200,
      { id: service.nextId("agent_"), object: "agent", name, created: unixSeconds(service) },
      ticket.rateHeaders(),
    );
  },
};

export const workspaces: Operation<null> = {
  endpoint: "workspaces",
  read: () => ({ kind: "read", input: null }),
  serve: (call, _, ticket) => {
    settleFree(ticket);
    respondJson(call, 200, { object: "list", data: [{ id: call.key?.workspace, object: "workspace" }] }, ticket.rateHeaders());
  },
};

export const verify: Operation<null> = {
  endpoint: "verify",
  read: () => ({ kind: "read", input: null }),
  serve: (call, _, ticket) => {
    settleFree(ticket);
    const { key, service } = call;
    const body = { object: "key", id: key?.id, plan: key?.plan, scopes: key?.scopes, workspace: key?.workspace };
    respondJson(call, 200, service.seams.callers.description(body, key), ticket.rateHeaders());
  },
};
