import { variant } from "../switch-builders.ts";
import type { Variant } from "../switch.ts";

export const imagesVariants: readonly Variant[] = [
  variant("images/url-private", "Addresses answer 403 without credentials", "Who may use an address is open (IMG-027).", {
    changes: ["IMG-012", "IMG-023", "IMG-024"],
  }),
];
