import { variant } from "../switch-builders.ts";
import type { Variant } from "../switch.ts";

export const modelsVariants: readonly Variant[] = [
  variant(
    "models/alias-resolved",
    "Responses name the dated model behind an alias",
    "The model used may differ from the alias (AMB-42).",
    { changes: ["CMPL-007", "EMB-027", "MOD-009"] },
  ),
  variant("models/chat-unlisted", "The chat model works without being listed", "Only a SHOULD asks for it.", {
    // The model that is served for an unknown name is then not listed either.
    changes: ["MOD-009", "CMPL-007"],
  }),
];
