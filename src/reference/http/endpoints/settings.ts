import type { AccountChange, KeyChange } from "../../engine/settings/settings-change.ts";
import type { RateHeaders } from "../../engine/admission.ts";
import type { Call } from "../call.ts";
import type { Operation, Read } from "../operation.ts";
import { settleFailed, settleFree } from "../operation.ts";
import { readJson } from "../read-body.ts";
import { respondJson, respondProblem, writeText } from "../respond.ts";

interface KeyPatch {
  readonly id: string;
  readonly change: KeyChange;
}

export const keySettings: Operation<KeyPatch> = {
  endpoint: "key-settings",
  read: readKeyPatch,
  serve: (call, { id, change }, ticket) => {
    const { engine, seams } = call.service;
    const caller = call.key!;
    const outcome = seams.settings.carriedOut(id, change, (target, part) => engine.changeKey(caller, target, part), call);
    if (outcome.kind === "refused") {
      settleFailed(ticket);
      return respondProblem(call, outcome.refusal, ticket);
    }
    settleFree(ticket);
    respondSettings(call, { object: "key_settings", id, ...outcome.settings }, ticket.rateHeaders());
  },
};

/** The id is looked up before the body is read: 404 comes before 422, and nothing changes before the limits have been asked. */
function readKeyPatch(call: Call): Read<KeyPatch> {
  const { engine, seams } = call.service;
  const { key_id: id } = call.request.params as { readonly key_id: string };
  const known = engine.keys.byId(id);
  if (known?.workspace !== call.key?.workspace) {
    const outcome = engine.changeKey(call.key!, id, {});
    if (outcome.kind === "refused") {
      const { refusal } = outcome;
      return { kind: "refused", problem: known === undefined ? refusal : seams.settings.foreignKey(refusal, call.request.body) };
    }
  }
  const read = readJson<KeyChange>(call, "key-settings");
  if (read.kind === "refused") {
    const doneAnyway = seams.settings.doneAnyway(call.request.body);
    if (doneAnyway !== null) engine.changeKey(call.key!, id, doneAnyway);
    return read;
  }
  const { monthly_spend_cap, burst_limit, cooldown_seconds } = read.input;
  return { kind: "read", input: { id, change: { monthly_spend_cap, burst_limit, cooldown_seconds } } };
}

export const accountSettings: Operation<AccountChange> = {
  endpoint: "account-settings",
  read: (call) => readJson<AccountChange>(call, "account-settings"),
  serve: (call, { account_spend_cap }, ticket) => {
    const outcome = call.service.engine.changeAccount(call.key!, { account_spend_cap });
    settleFree(ticket);
    respondSettings(call, { object: "account_settings", id: call.key!.account, ...outcome.settings }, ticket.rateHeaders());
  },
};

function respondSettings(call: Call, body: Readonly<Record<string, unknown>>, rate: RateHeaders): void {
  const answer = call.service.seams.settings.changed(body);
  if ("json" in answer) respondJson(call, answer.status, answer.json, rate);
  else writeText(call, answer.status, answer.text, rate, {});
}
