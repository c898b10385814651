import { variant } from "../switch-builders.ts";
import type { Variant } from "../switch.ts";

export const settingsVariants: readonly Variant[] = [
  variant("settings/delayed", "Changes take effect after 0.8 s", "How fast they do is open; cases wait for it (AMB-18).", {
    changes: ["KEY-015"],
  }),
];
