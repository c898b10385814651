import { variant } from "../switch-builders.ts";
import type { Variant } from "../switch.ts";

export const imagesVariants: readonly Variant[] = [
  variant(
    "images/url-holds-image",
    "Addresses are data: URLs, and all images of a size are alike",
    "The scheme of an address is not stated.",
    {
      excludes: ["images/url-private"],
    },
  ),
  variant("images/url-private", "Addresses answer 403 without credentials", "Who may use an address is open (IMG-027).", {
    changes: ["IMG-012", "IMG-023", "IMG-024"],
  }),
  variant(
    "images/url-moved",
    "Addresses answer 302 with that of the file",
    "RFC 9110, section 15.4: the file has another address for now.",
  ),
];
