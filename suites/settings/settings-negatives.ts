import type { Case } from "../../src/conformance/plan/case.ts";
import type { Members } from "../requests/members.ts";
import { accountCase, keyCase, patchAccount, patchKey } from "./settings-case.ts";
import { accountChange, keyChange, lawfulAccountSettings, lawfulKeySettings } from "../requests/settings-target.ts";
import { violates } from "../requests/intents.ts";

/** Bodies that are no JSON, or JSON but no object; each twin sends a lawful body. */
const brokenBodies = [
  ["truncated", '{"burst_limit": 10', "malformed-json", "KEY-019", "ACC-008"],
  ["text-behind", '{"burst_limit": 10} and more', "malformed-json", "KEY-019", "ACC-008"],
  // No member is required here, so that nothing is missing from them: only their type is wrong (AMB-05).
  ["array", "[]", "wrong-type", "KEY-028", "ACC-012"],
  ["string", '"text"', "wrong-type", "KEY-028", "ACC-012"],
] as const;

const brokenBodyCases: readonly Case[] = [
  keyCase(
    {
      id: "settings/key-broken-bodies",
      title: "Refuses a body for key settings that is no JSON object",
      covers: ["KEY-019", "KEY-028", "ERR-020"],
      patches: 5,
    },
    async (tools) => {
      await patchKey(tools, "twin", lawfulKeySettings(tools.manifest));
      for (const [label, bytes, condition, requirement] of brokenBodies) {
        const change = keyChange(tools.manifest, label, null, violates(requirement, condition));
        await tools.send({ ...change, body: { kind: "raw", bytes, contentType: "application/json" } });
      }
    },
  ),
  accountCase(
    {
      id: "settings/account-broken-bodies",
      title: "Refuses a body for the account that is no JSON object",
      covers: ["ACC-008", "ACC-012", "ERR-020"],
      patches: 5,
    },
    async (tools) => {
      await patchAccount(tools, "twin", lawfulAccountSettings(tools.manifest));
      for (const [label, bytes, condition, , requirement] of brokenBodies) {
        const change = accountChange(label, null, violates(requirement, condition));
        await tools.send({ ...change, body: { kind: "raw", bytes, contentType: "application/json" } });
      }
    },
  ),
];

/** Values of the wrong type, one request each; the twin sends a lawful one. */
const wrongTypes = [
  ["monthly_spend_cap", "KEY-006", [50.5, "5000", true]],
  ["burst_limit", "KEY-007", [1.5, "10"]],
  ["cooldown_seconds", "KEY-008", [0.5, "10"]],
] as const;

const wrongTypeCases: readonly Case[] = [
  ...wrongTypes.map(([field, requirement, values]) =>
    keyCase(
      {
        id: `settings/rejects-bad-${field.replaceAll("_", "-")}`,
        title: `Refuses bad values of ${field}`,
        covers: [requirement],
        patches: values.length + 1,
      },
      async (tools) => {
        const lawful: Members = { [field]: lawfulKeySettings(tools.manifest)[field] };
        await patchKey(tools, "twin", lawful);
        for (const [index, value] of values.entries()) {
          await patchKey(tools, `wrong-${index + 1}`, { [field]: value }, violates(requirement, "wrong-type", { field }));
        }
      },
    ),
  ),
  accountCase(
    {
      id: "settings/rejects-bad-account-spend-cap",
      title: "Refuses bad values of account_spend_cap",
      covers: ["ACC-002"],
      patches: 3,
    },
    async (tools) => {
      const field = "account_spend_cap";
      await patchAccount(tools, "twin", lawfulAccountSettings(tools.manifest));
      for (const [index, value] of [1.5, "5000"].entries()) {
        await patchAccount(tools, `wrong-${index + 1}`, { [field]: value }, violates("ACC-002", "wrong-type", { field }));
      }
    },
  ),
];

export const settingsNegatives: readonly Case[] = [...brokenBodyCases, ...wrongTypeCases];
