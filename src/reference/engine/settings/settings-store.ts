import type { ServiceClock } from "../../clock/service-clock.ts";
import type { Switchboard } from "../../defects/switch.ts";
import type { AccountRecord, KeyRecord, KeySettingsValues } from "../keys/key-record.ts";
import type { KeyStore } from "../keys/key-store.ts";
import type { AccountChange, AccountChangeOutcome, KeyChange, KeyChangeOutcome } from "./settings-change.ts";

/** Applies PATCHes of keys and of the account. */
export interface SettingsStore {
  changeKey(caller: KeyRecord, keyId: string, change: KeyChange): KeyChangeOutcome;
  changeAccount(caller: KeyRecord, change: AccountChange): AccountChangeOutcome;
}

/** Time until a change takes effect where that is not at once. */
const propagationMs = 800;

const unset: KeySettingsValues = { monthly_spend_cap: null, burst_limit: null, cooldown_seconds: null };

/** `onChange` is informed of every key whose settings have just taken effect. */
export function createSettingsStore(
  clock: ServiceClock,
  keys: KeyStore,
  switches: Switchboard,
  onChange: (key: KeyRecord) => void,
): SettingsStore {
  const soon = (apply: () => void): void => {
    if (switches.on("settings/delayed")) clock.at(clock.wallMs() + propagationMs, apply);
    else apply();
  };

  /** Absent members keep their value; null clears. */
  const merged = (settings: KeySettingsValues, change: KeyChange): KeySettingsValues => {
    if (switches.on("settings/change-ignored")) return settings;
    const present = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    const next: KeySettingsValues = { ...(switches.on("settings/omitted-members-reset") ? unset : settings), ...present };
    return keptCap(settings.monthly_spend_cap, next.monthly_spend_cap)
      ? { ...next, monthly_spend_cap: settings.monthly_spend_cap }
      : next;
  };

  const keptCap = (before: number | null, after: number | null): boolean => {
    if (before === null) return false;
    const lowers = after !== null && after < before;
    return switches.on(lowers ? "spend/lowering-ignored" : "spend/raising-ignored");
  };

  const applyToKey = (keyId: string, change: KeyChange): void => {
    const key = keys.byId(keyId);
    if (key === undefined) return;
    const next = { ...key, settings: merged(key.settings, change) };
    keys.put(next);
    onChange(next);
  };

  return {
    changeKey: (caller, keyId, change) => {
      const key = keys.byId(keyId);
      const foreign = key?.workspace !== caller.workspace && !switches.on("settings/foreign-key-changed");
      if (key === undefined || foreign) {
        return { kind: "refused", refusal: { status: 404, code: "not_found", message: "There is no key with this id." } };
      }
      const reached = switches.on("settings/changes-every-key")
        ? keys.list().filter((other) => other.account === key.account)
        : [key];
      soon(() => {
        for (const { id } of reached) applyToKey(id, change);
      });
      return { kind: "changed", settings: merged(key.settings, change) };
    },
    changeAccount: (caller, change) => {
      const account = keys.account(caller.account);
      const asked = change.account_spend_cap === undefined ? account.account_spend_cap : change.account_spend_cap;
      const kept = keptCap(account.account_spend_cap, asked) || switches.on("settings/account-change-ignored");
      const next: AccountRecord = { ...account, account_spend_cap: kept ? account.account_spend_cap : asked };
      soon(() => keys.putAccount({ ...keys.account(account.id), account_spend_cap: next.account_spend_cap }));
      return { kind: "changed", settings: { account_spend_cap: next.account_spend_cap } };
    },
  };
}
