import { audioMutants } from "./audio.ts";
import { authMutants } from "./auth.ts";
import { burstMutants } from "./burst.ts";
import { chatMutants } from "./chat.ts";
import { embeddingsMutants } from "./embeddings.ts";
import { errorMutants } from "./errors.ts";
import { headerMutants } from "./headers.ts";
import { imagesMutants } from "./images.ts";
import { limitMutants } from "./limits.ts";
import { modelsMutants } from "./models.ts";
import { settingsMutants } from "./settings.ts";
import { settingsSurfaceMutants } from "./settings-surface.ts";
import { spendMutants } from "./spend.ts";
import { streamMutants } from "./stream.ts";
import { tokenMutants } from "./tokens.ts";
import { transportMutants } from "./transport.ts";
import { usageMutants } from "./usage.ts";
import type { Mutant } from "../switch.ts";

/** Every mutant of the reference service, in the order in which they are listed. */
export const allMutants: readonly Mutant[] = [
  ...authMutants,
  ...errorMutants,
  ...chatMutants,
  ...streamMutants,
  ...embeddingsMutants,
  ...imagesMutants,
  ...audioMutants,
  ...modelsMutants,
  ...usageMutants,
  ...settingsMutants,
  ...settingsSurfaceMutants,
  ...headerMutants,
  ...limitMutants,
  ...tokenMutants,
  ...burstMutants,
  ...spendMutants,
  ...transportMutants,
];
