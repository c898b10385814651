import type { Case } from "../../src/conformance/plan/case.ts";
import { repetitionLabel } from "../../src/conformance/judges/settings/settings-acceptance.ts";
import { accountCase, keyCase, patchAccount, patchKey } from "./settings-case.ts";
import { keyChange, lawfulAccountSettings, lawfulKeySettings, settingsKey } from "../requests/settings-target.ts";
import { settingsNegatives } from "./settings-negatives.ts";
import { question, violates } from "../requests/intents.ts";
import { invalidLabels } from "../../src/conformance/judges/settings/not-found-answers.ts";
import type { Intent } from "../../src/core/exchange/intent.ts";
import type { Random } from "../../src/core/random.ts";

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
      await patchKey(tools, repetitionLabel, { burst_limit });
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
      const invented = inventId(tools.manifest.keys[settingsKey]?.id ?? "", tools.random);
      await patchKey(tools, "unknown", value, violates("KEY-016", "unknown-id"), invented);
    },
  ),
  keyCase(
    {
      id: "settings/foreign-key",
      title: "Answers for the identifier of another workspace as for an unknown one",
      covers: ["KEY-017", "KEY-018", "KEY-031", "ERR-019", "ERR-037"],
      patches: 7,
      needs: [{ kind: "foreign-key-id" }],
    },
    async (tools) => {
      const value = lawfulKeySettings(tools.manifest);
      const foreign = tools.manifest.foreignKeyId ?? "";
      await patchKey(tools, "twin", value);
      await patchKey(tools, "unknown", value, violates("KEY-016", "unknown-id"), inventId(foreign, tools.random));
      // A difference between two unknown identifiers says nothing about a foreign one.
      await patchKey(tools, "unknown-too", value, violates("KEY-016", "unknown-id"), inventId(foreign, tools.random));
      await patchKey(tools, "foreign", value, violates("KEY-017", "foreign-id"), foreign);
      // Whether the identifier or the body is looked at first is open, but not for one of both alone.
      const wrong = { burst_limit: "assay" };
      const intent: Intent = {
        kind: "housekeeping",
        purpose: "send an invalid change of a key that is not there",
        answers: ["4xx"],
      };
      await patchKey(tools, invalidLabels.unknown, wrong, intent, inventId(foreign, tools.random));
      await patchKey(tools, invalidLabels.unknownToo, wrong, intent, inventId(foreign, tools.random));
      await patchKey(tools, invalidLabels.foreign, wrong, intent, foreign);
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
      await patchKey(tools, "empty", {}, question("KEY-005", "an empty object"));
      await patchKey(
        tools,
        "account-member",
        { account_spend_cap: 100_000_000 },
        question("KEY-021", "account_spend_cap on a key"),
      );
      const self = keyChange(tools.manifest, "self", lawful, question("KEY-027", "a key that changes itself"));
      await tools.send({ ...self, credential: { kind: "bearer", key: settingsKey } });
      for (const value of [2 ** 31, 2 ** 53]) {
        await patchKey(tools, `huge-${value}`, { monthly_spend_cap: value }, question("KEY-026", `a cap of ${value}`));
      }
      const values = [
        ["KEY-009", -1],
        ["KEY-010", 0],
        ["KEY-010", null],
      ] as const;
      for (const [requirement, value] of values) {
        for (const member of members) {
          await patchKey(tools, `${member}-${value}`, { [member]: value }, question(requirement, `${member} ${value}`));
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
      await patchAccount(tools, "empty", {}, question("ACC-003", "an empty object"));
      await patchAccount(tools, "key-member", { burst_limit: 1000 }, question("ACC-010", "burst_limit on the account"));
    },
  ),
];

export const settingsCases: readonly Case[] = [...keyCases, ...accountCases, ...settingsNegatives];

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
