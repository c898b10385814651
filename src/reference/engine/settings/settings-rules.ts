import type { KeyRecord, KeySettingsValues } from "../keys/key-record.ts";
import type { KeyChange } from "./settings-change.ts";

/** The rules for a change of settings: its effect, its keys and its instant. */
export interface SettingsRules {
  /** Time until a change takes effect; `onOther`: on a key that it does not name. */
  effectAfterMs(onOther: boolean): number;
  mayChange(caller: KeyRecord, key: KeyRecord): boolean;
  /** Which of all keys a change of this one reaches. */
  reached(key: KeyRecord, all: readonly KeyRecord[]): readonly KeyRecord[];
  keySettings(before: KeySettingsValues, change: KeyChange): KeySettingsValues;
  /** The cap of an account; asked undefined: the change does not name it. */
  accountCap(before: number | null, asked: number | null | undefined): number | null;
}

/** Changes take effect at once, within a workspace. Absent members keep their value; null clears. */
export const lawfulSettingsRules: SettingsRules = {
  effectAfterMs: () => 0,
  mayChange: (caller, key) => key.workspace === caller.workspace,
  reached: (key) => [key],
  keySettings: (before, change) => ({
    ...before,
    ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
  }),
  accountCap: (before, asked) => (asked === undefined ? before : asked),
};
