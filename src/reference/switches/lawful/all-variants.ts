import { audioVariants } from "./audio.ts";
import { authVariants } from "./auth.ts";
import { burstVariants } from "./burst.ts";
import { chatVariants } from "./chat.ts";
import { embeddingsVariants } from "./embeddings.ts";
import { errorVariants } from "./errors.ts";
import { headerVariants } from "./headers.ts";
import { imagesVariants } from "./images.ts";
import { limitVariants } from "./limits.ts";
import { modelsVariants } from "./models.ts";
import { settingsVariants } from "./settings.ts";
import { settingsSurfaceVariants } from "./settings-surface.ts";
import { spendVariants } from "./spend.ts";
import { streamVariants } from "./stream.ts";
import { tokenVariants } from "./tokens.ts";
import { transportVariants } from "./transport.ts";
import { usageVariants } from "./usage.ts";
import type { Variant } from "../switch.ts";

/** Every variant of the reference service, in the order in which they are listed. */
export const allVariants: readonly Variant[] = [
  ...authVariants,
  ...errorVariants,
  ...chatVariants,
  ...streamVariants,
  ...embeddingsVariants,
  ...imagesVariants,
  ...audioVariants,
  ...modelsVariants,
  ...usageVariants,
  ...settingsVariants,
  ...settingsSurfaceVariants,
  ...headerVariants,
  ...limitVariants,
  ...tokenVariants,
  ...burstVariants,
  ...spendVariants,
  ...transportVariants,
];
