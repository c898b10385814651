import type { Switch } from "./switch.ts";
import { audioSwitches } from "./audio.ts";
import { authSwitches } from "./auth.ts";
import { burstSwitches } from "./burst.ts";
import { chatSwitches } from "./chat.ts";
import { embeddingsSwitches } from "./embeddings.ts";
import { errorSwitches } from "./errors.ts";
import { headerSwitches } from "./headers.ts";
import { imagesSwitches } from "./images.ts";
import { limitSwitches } from "./limits.ts";
import { modelsSwitches } from "./models.ts";
import { settingsSwitches } from "./settings.ts";
import { settingsSurfaceSwitches } from "./settings-surface.ts";
import { spendSwitches } from "./spend.ts";
import { streamSwitches } from "./stream.ts";
import { tokenSwitches } from "./tokens.ts";
import { transportSwitches } from "./transport.ts";
import { usageSwitches } from "./usage.ts";

/** Every variant and mutant of the reference service, in the order in which they are listed. */
export const allSwitches: readonly Switch[] = [
  ...authSwitches,
  ...errorSwitches,
  ...chatSwitches,
  ...streamSwitches,
  ...embeddingsSwitches,
  ...imagesSwitches,
  ...audioSwitches,
  ...modelsSwitches,
  ...usageSwitches,
  ...settingsSwitches,
  ...settingsSurfaceSwitches,
  ...headerSwitches,
  ...limitSwitches,
  ...tokenSwitches,
  ...burstSwitches,
  ...spendSwitches,
  ...transportSwitches,
];
