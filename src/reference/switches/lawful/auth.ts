import { variant } from "../switch-builders.ts";
import type { Variant } from "../switch.ts";

export const authVariants: readonly Variant[] = [
  variant(
    "auth/scheme-any-case",
    "The scheme word is compared without regard to case",
    "RFC 9110 asks for it; the specification is silent.",
    { changes: ["AUTH-010"] },
  ),
  variant(
    "auth/small-plan",
    "Every key has the Starter plan",
    "Both plans are stated, and which a key has is its owner's matter.",
  ),
  variant(
    "auth/unpaid-reads-usage",
    "An account that cannot pay may still read its usage",
    "Billing is exempt, and the report of what was used may be a part of it (AMB-44).",
  ),
  variant("auth/no-challenge", "401 carries no WWW-Authenticate", "The specification does not mention the field (AMB-37).", {
    changes: ["AUTH-029"],
  }),
];
