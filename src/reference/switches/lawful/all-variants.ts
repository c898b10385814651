import { limitVariants } from "./limits.ts";
import { accountVariants } from "./accounts.ts";
import { answerVariants } from "./answers.ts";
import { authVariants } from "./auth.ts";
import { errorVariants } from "./errors.ts";
import { headerVariants } from "./headers.ts";
import { settingsSurfaceVariants } from "./settings-surface.ts";
import { transportVariants } from "./transport.ts";
import type { Variant } from "../switch.ts";

/** Every variant of the reference service, in the order in which they are listed. */
export const allVariants: readonly Variant[] = [
  ...authVariants,
  ...errorVariants,
  ...answerVariants,
  ...accountVariants,
  ...settingsSurfaceVariants,
  ...headerVariants,
  ...limitVariants,
  ...transportVariants,
];
