import { lawfulSettingsRules, type SettingsRules } from "../../engine/settings/settings-rules.ts";
import { ordinaryKey } from "../../engine/keys/key-record.ts";
import type { Switchboard } from "../switch.ts";

const propagationMs = 800;
/** Time until a copy of the settings is read again. */
const replicationMs = 2500;

export function patchSettingsRules(switches: Switchboard): SettingsRules {
  const lawful = lawfulSettingsRules;
  const keptCap = (before: number | null, after: number | null): boolean => {
    if (before === null) return false;
    const lowers = after !== null && after < before;
    return switches.on(lowers ? "spend/lowering-ignored" : "spend/raising-ignored");
  };
  return {
    effectAfterMs: (onOther) => {
      if (onOther && switches.on("settings/changes-every-key-late")) return replicationMs;
      return switches.on("settings/delayed") ? propagationMs : lawful.effectAfterMs(onOther);
    },
    mayChange: (caller, key) => switches.on("settings/foreign-key-changed") || lawful.mayChange(caller, key),
    reached: (key, all) =>
      ["settings/changes-every-key", "settings/changes-every-key-late"].some((id) => switches.on(id))
        ? all.filter((other) => other.account === key.account)
        : lawful.reached(key, all),
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
