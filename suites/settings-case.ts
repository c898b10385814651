import type { Case, CaseTools } from "../src/conformance/plan/case.ts";
import type { Exchange } from "../src/core/exchange/exchange.ts";
import type { Intent } from "../src/core/exchange/intent.ts";
import {
  accountSettingsNeeds,
  adminCredential,
  keySettingsNeeds,
  keySettingsPath,
  settingsKey,
  settingsResource,
} from "./settings-target.ts";

export async function patchKey(tools: CaseTools, label: string, value: unknown, intent?: Intent, id?: string): Promise<Exchange> {
  return tools.send({
    endpoint: "key-settings",
    label,
    path: keySettingsPath(tools.manifest, id),
    credential: adminCredential,
    body: { kind: "json", value },
    ...(intent === undefined ? {} : { intent }),
  });
}

export async function patchAccount(tools: CaseTools, label: string, value: unknown, intent?: Intent): Promise<Exchange> {
  return tools.send({
    endpoint: "account-settings",
    label,
    credential: adminCredential,
    body: { kind: "json", value },
    ...(intent === undefined ? {} : { intent }),
  });
}

/** A case that changes the key set aside and puts its declared values back. */
export function keyCase(
  part: Pick<Case, "id" | "title" | "covers"> & { readonly patches: number; readonly needs?: Case["needs"] },
  run: (tools: CaseTools) => Promise<void>,
): Case {
  const { patches, needs = [], ...rest } = part;
  return {
    ...rest,
    suite: "settings",
    needs: [...keySettingsNeeds, ...needs],
    cost: { requests: { "key-settings": patches + 1 }, tokens: 0 },
    resource: settingsResource,
    run: (tools) => tools.restoring({ kind: "key", key: settingsKey }, () => run(tools)),
  };
}

export function accountCase(
  part: Pick<Case, "id" | "title" | "covers"> & { readonly patches: number },
  run: (tools: CaseTools) => Promise<void>,
): Case {
  const { patches, ...rest } = part;
  return {
    ...rest,
    suite: "settings",
    needs: accountSettingsNeeds,
    cost: { requests: { "account-settings": patches + 1 }, tokens: 0 },
    resource: settingsResource,
    run: (tools) => tools.restoring({ kind: "account" }, () => run(tools)),
  };
}
