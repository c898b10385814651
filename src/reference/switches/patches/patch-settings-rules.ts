import { lawfulSettingsRules, type SettingsRules } from "../../engine/settings/settings-rules.ts";
import { ordinaryKey } from "../../engine/keys/key-record.ts";
import type { Switchboard } from "../switch.ts";

const propagationMs = 800;

export function patchSettingsRules(switches: Switchboard): SettingsRules {
  const lawful = lawfulSettingsRules;
  const keptCap = (before: number | null, after: number | null): boolean => {
    if (before === null) return false;
    const lowers = after !== null && after < before;
    return switches.on(lowers ? "spend/lowering-ignored" : "spend/raising-ignored");
  };
  return {
    effectAfterMs: () => (switches.on("settings/delayed") ? propagationMs : lawful.effectAfterMs()),
    mayChange: (caller, key) => switches.on("settings/foreign-key-changed") || lawful.mayChange(caller, key),
    reached: (key, all) =>
      switches.on("settings/changes-every-key") ? all.filter((other) => other.account === key.account) : lawful.reached(key, all),
    keySettings: (before, change) => {
      if (switches.on("settings/change-ignored")) return before;
      const next = lawful.keySettings(switches.on("settings/omitted-members-reset") ? ordinaryKey.settings : before, change);
      const cap = before.monthly_spend_cap;
      return keptCap(cap, next.monthly_spend_cap) ? { ...next, monthly_spend_cap: cap } : next;
    },
    accountCap: (before, asked) => {
      const after = lawful.accountCap(before, asked);
      return switches.on("settings/account-change-ignored") || keptCap(before, after) ? before : after;
    },
  };
}
