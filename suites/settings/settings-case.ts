import type { Case, CaseTools, SettingsSubject } from "../../src/conformance/plan/case.ts";
import type { EndpointId } from "../../src/core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../src/core/exchange/exchange-facts.ts";
import type { Intent } from "../../src/core/exchange/intent.ts";
import {
  accountChange,
  accountSettingsNeeds,
  keyChange,
  keySettingsNeeds,
  settingsKey,
  settingsResource,
} from "../requests/settings-target.ts";

export function patchKey(tools: CaseTools, label: string, value: unknown, intent?: Intent, id?: string): Promise<ExchangeFacts> {
  return tools.send(keyChange(tools.manifest, label, value, intent, id));
}

export function patchAccount(tools: CaseTools, label: string, value: unknown, intent?: Intent): Promise<ExchangeFacts> {
  return tools.send(accountChange(label, value, intent));
}

type Part = Pick<Case, "id" | "title" | "covers"> & { readonly patches: number; readonly needs?: Case["needs"] };
type Run = (tools: CaseTools) => Promise<void>;

/** A case that changes the key set aside and puts its declared values back. */
export function keyCase(part: Part, run: Run): Case {
  return settingsCase("key-settings", { kind: "key", key: settingsKey }, keySettingsNeeds, part, run);
}

export function accountCase(part: Part, run: Run): Case {
  return settingsCase("account-settings", { kind: "account" }, accountSettingsNeeds, part, run);
}

function settingsCase(endpoint: EndpointId, subject: SettingsSubject, usual: Case["needs"], part: Part, run: Run): Case {
  const { patches, needs = [], ...rest } = part;
  return {
    ...rest,
    suite: "settings",
    needs: [...usual, ...needs],
    cost: { requests: { [endpoint]: patches + 1 }, tokens: 0 },
    resource: settingsResource,
    run: (tools) => tools.restoring(subject, () => run(tools)),
  };
}
