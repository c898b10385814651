import type { Case, CaseTools } from "../src/conformance/plan/case.ts";
import type { Exchange } from "../src/core/exchange/exchange.ts";
import type { Intent } from "../src/core/exchange/intent.ts";
import type { Random } from "../src/core/random.ts";
import type { Members } from "./negatives/negative-cases.ts";
import {
  accountSettingsNeeds,
  adminCredential,
  keySettingsNeeds,
  keySettingsPath,
  lawfulAccountSettings,
  lawfulKeySettings,
  settingsKey,
  settingsResource,
} from "./settings-target.ts";

async function patchKey(tools: CaseTools, label: string, value: unknown, intent?: Intent, id?: string): Promise<Exchange> {
  return tools.send({
    endpoint: "key-settings",
    label,
    path: keySettingsPath(tools.manifest, id),
    credential: adminCredential,
    body: { kind: "json", value },
    ...(intent === undefined ? {} : { intent }),
  });
}

async function patchAccount(tools: CaseTools, label: string, value: unknown, intent?: Intent): Promise<Exchange> {
  return tools.send({
    endpoint: "account-settings",
    label,
    credential: adminCredential,
    body: { kind: "json", value },
    ...(intent === undefined ? {} : { intent }),
  });
}

function probe(requirement: string, question: string): Intent {
  return { kind: "probe-unspecified", requirement, question };
}

/** A case that changes the key set aside and puts its declared values back. */
function keyCase(
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

function accountCase(
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

const keyCases: readonly Case[] = [
  keyCase(
    {
      id: "settings/key-members",
      title: "Changes the settings of a key one by one, in every combination, and twice the same",
      covers: ["SVC-009", "KEY-001", "KEY-002", "KEY-003", "KEY-004", "KEY-020", "KEY-025"],
      patches: 8,
    },
    async (tools) => {
      const { monthly_spend_cap, burst_limit, cooldown_seconds } = lawfulKeySettings(tools.manifest);
      await patchKey(tools, "cap", { monthly_spend_cap });
      await patchKey(tools, "burst", { burst_limit });
      await patchKey(tools, "cooldown", { cooldown_seconds });
      await patchKey(tools, "cap-and-burst", { monthly_spend_cap, burst_limit });
      await patchKey(tools, "cap-and-cooldown", { monthly_spend_cap, cooldown_seconds });
      await patchKey(tools, "burst-and-cooldown", { burst_limit, cooldown_seconds });
      await patchKey(tools, "all", { monthly_spend_cap, burst_limit, cooldown_seconds });
      await patchKey(tools, "repetition", { burst_limit });
    },
  ),
  keyCase(
    {
      id: "settings/unknown-key",
      title: "Answers 404 for an identifier that does not exist",
      covers: ["KEY-016", "ERR-018"],
      patches: 2,
    },
    async (tools) => {
      const value = lawfulKeySettings(tools.manifest);
      await patchKey(tools, "twin", value);
      await patchKey(
        tools,
        "unknown",
        value,
        { kind: "violates", requirement: "KEY-016", condition: "unknown-id", twin: "twin" },
        inventId(tools.manifest.keys[settingsKey]?.id ?? "", tools.random),
      );
    },
  ),
  keyCase(
    {
      id: "settings/foreign-key",
      title: "Answers for the identifier of another workspace as for an unknown one",
      covers: ["KEY-017", "KEY-018", "ERR-019", "ERR-037"],
      patches: 4,
      needs: [{ kind: "foreign-key-id" }],
    },
    async (tools) => {
      const value = lawfulKeySettings(tools.manifest);
      const foreign = tools.manifest.foreignKeyId ?? "";
      await patchKey(tools, "twin", value);
      await patchKey(
        tools,
        "unknown",
        value,
        { kind: "violates", requirement: "KEY-016", condition: "unknown-id", twin: "twin" },
        inventId(foreign, tools.random),
      );
      // What differs between two unknown identifiers cannot say anything about a foreign one.
      await patchKey(
        tools,
        "unknown-too",
        value,
        { kind: "violates", requirement: "KEY-016", condition: "unknown-id", twin: "twin" },
        inventId(foreign, tools.random),
      );
      await patchKey(
        tools,
        "foreign",
        value,
        { kind: "violates", requirement: "KEY-017", condition: "foreign-id", twin: "twin" },
        foreign,
      );
    },
  ),
  keyCase(
    {
      id: "settings/key-unstated-values",
      title: "Records the answers to settings of a key without a stated rule",
      covers: ["KEY-005", "KEY-009", "KEY-010", "KEY-021", "KEY-026", "KEY-027"],
      patches: 14,
    },
    async (tools) => {
      const lawful = lawfulKeySettings(tools.manifest);
      const members = Object.keys(lawful);
      await patchKey(tools, "empty", {}, probe("KEY-005", "an empty object"));
      await patchKey(tools, "account-member", { account_spend_cap: 100_000_000 }, probe("KEY-021", "account_spend_cap on a key"));
      await tools.send({
        endpoint: "key-settings",
        label: "self",
        path: keySettingsPath(tools.manifest),
        credential: { kind: "bearer", key: settingsKey },
        body: { kind: "json", value: lawful },
        intent: probe("KEY-027", "a key that changes itself"),
      });
      for (const value of [2 ** 31, 2 ** 53]) {
        await patchKey(tools, `huge-${value}`, { monthly_spend_cap: value }, probe("KEY-026", `a cap of ${value}`));
      }
      const values = [
        ["KEY-009", -1],
        ["KEY-010", 0],
        ["KEY-010", null],
      ] as const;
      for (const [requirement, value] of values) {
        for (const member of members) {
          await patchKey(tools, `${member}-${value}`, { [member]: value }, probe(requirement, `${member} ${value}`));
        }
      }
    },
  ),
];

const accountCases: readonly Case[] = [
  accountCase(
    {
      id: "settings/account-member",
      title: "Changes the ceiling of the account",
      covers: ["SVC-009", "ACC-001", "ACC-009"],
      patches: 1,
    },
    async (tools) => {
      await patchAccount(tools, "cap", lawfulAccountSettings(tools.manifest));
    },
  ),
  accountCase(
    {
      id: "settings/account-unstated-values",
      title: "Records the answers to account settings without a stated rule",
      covers: ["ACC-003", "ACC-010"],
      patches: 2,
    },
    async (tools) => {
      await patchAccount(tools, "empty", {}, probe("ACC-003", "an empty object"));
      await patchAccount(tools, "key-member", { burst_limit: 1000 }, probe("ACC-010", "burst_limit on the account"));
    },
  ),
];

/** Bodies that are no JSON, or JSON but no object; each twin sends a lawful body. */
const brokenBodies = [
  ["truncated", '{"burst_limit": 10', "malformed-json", "KEY-019", "ACC-008"],
  // No member is required here, so that nothing is missing from them: only their type is wrong (AMB-05).
  ["array", "[]", "wrong-type", "KEY-028", "ACC-012"],
  ["string", '"text"', "wrong-type", "KEY-028", "ACC-012"],
] as const;

const brokenBodyCases: readonly Case[] = [
  keyCase(
    {
      id: "settings/key-broken-bodies",
      title: "Refuses a body for key settings that is no JSON object",
      covers: ["KEY-019", "KEY-028"],
      patches: 4,
    },
    async (tools) => {
      await patchKey(tools, "twin", lawfulKeySettings(tools.manifest));
      for (const [label, bytes, condition, requirement] of brokenBodies) {
        await tools.send({
          endpoint: "key-settings",
          label,
          path: keySettingsPath(tools.manifest),
          credential: adminCredential,
          body: { kind: "raw", bytes, contentType: "application/json" },
          intent: { kind: "violates", requirement, condition, twin: "twin" },
        });
      }
    },
  ),
  accountCase(
    {
      id: "settings/account-broken-bodies",
      title: "Refuses a body for the account that is no JSON object",
      covers: ["ACC-008", "ACC-012"],
      patches: 4,
    },
    async (tools) => {
      await patchAccount(tools, "twin", lawfulAccountSettings(tools.manifest));
      for (const [label, bytes, condition, , requirement] of brokenBodies) {
        await tools.send({
          endpoint: "account-settings",
          label,
          credential: adminCredential,
          body: { kind: "raw", bytes, contentType: "application/json" },
          intent: { kind: "violates", requirement, condition, twin: "twin" },
        });
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
          const intent: Intent = { kind: "violates", requirement, condition: "wrong-type", field, twin: "twin" };
          await patchKey(tools, `wrong-${index + 1}`, { [field]: value }, intent);
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
        const intent: Intent = { kind: "violates", requirement: "ACC-002", condition: "wrong-type", field, twin: "twin" };
        await patchAccount(tools, `wrong-${index + 1}`, { [field]: value }, intent);
      }
    },
  ),
];

/** An identifier of the same form that nobody has: the last letters and digits are drawn anew. */
export function inventId(model: string, random: Random): string {
  const alphabets = ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"];
  const from = Math.max(0, model.length - 16, model.lastIndexOf("_") + 1);
  const drawn = Array.from(model.slice(from), (character) => {
    const alphabet = alphabets.find((letters) => letters.includes(character));
    return alphabet === undefined ? character : alphabet.charAt(random.integer(0, alphabet.length - 1));
  });
  return model.slice(0, from) + drawn.join("");
}

export const settingsCases: readonly Case[] = [...keyCases, ...accountCases, ...brokenBodyCases, ...wrongTypeCases];
