import type { Switch } from "../switch.ts";
import { burstSwitches } from "./burst.ts";
import { limitSwitches } from "./limits.ts";
import { settingsSwitches } from "./settings.ts";
import { spendSwitches } from "./spend.ts";
import { tokenSwitches } from "./tokens.ts";
import { usageSwitches } from "./usage.ts";

/** Every variant and mutant of the reference service, in the order in which they are listed. */
export const allSwitches: readonly Switch[] = [
  ...usageSwitches,
  ...settingsSwitches,
  ...limitSwitches,
  ...tokenSwitches,
  ...burstSwitches,
  ...spendSwitches,
];
