import type { ServiceClock } from "../../clock/service-clock.ts";
import type { KeyRecord } from "../keys/key-record.ts";
import type { KeyStore } from "../keys/key-store.ts";
import type { AccountChange, AccountChangeOutcome, KeyChange, KeyChangeOutcome } from "./settings-change.ts";
import type { SettingsRules } from "./settings-rules.ts";

/** Applies PATCHes of keys and of the account. */
export interface SettingsStore {
  changeKey(caller: KeyRecord, keyId: string, change: KeyChange): KeyChangeOutcome;
  changeAccount(caller: KeyRecord, change: AccountChange): AccountChangeOutcome;
}

/** `onChange` is informed of every key whose settings have just taken effect. */
export function createSettingsStore(
  clock: ServiceClock,
  keys: KeyStore,
  rules: SettingsRules,
  onChange: (key: KeyRecord) => void,
): SettingsStore {
  const inEffect = (apply: () => void, onOther = false): void => {
    const delayMs = rules.effectAfterMs(onOther);
    if (delayMs > 0) clock.at(clock.wallMs() + delayMs, apply);
    else apply();
  };

  const applyToKey = (keyId: string, change: KeyChange): void => {
    const key = keys.byId(keyId);
    if (key === undefined) return;
    const next = { ...key, settings: rules.keySettings(key.settings, change) };
    keys.put(next);
    onChange(next);
  };

  return {
    changeKey: (caller, keyId, change) => {
      const key = keys.byId(keyId);
      if (key === undefined || !rules.mayChange(caller, key)) {
        return { kind: "refused", refusal: { status: 404, code: "not_found", message: "There is no key with this id." } };
      }
      for (const { id } of rules.reached(key, keys.list())) inEffect(() => applyToKey(id, change), id !== keyId);
      return { kind: "changed", settings: rules.keySettings(key.settings, change) };
    },
    changeAccount: (caller, change) => {
      const account = keys.account(caller.account);
      const account_spend_cap = rules.accountCap(account.account_spend_cap, change.account_spend_cap);
      inEffect(() => keys.putAccount({ ...keys.account(account.id), account_spend_cap }));
      return { kind: "changed", settings: { account_spend_cap } };
    },
  };
}
