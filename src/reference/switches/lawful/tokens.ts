import { variant } from "../switch-builders.ts";
import type { Variant } from "../switch.ts";

export const tokenVariants: readonly Variant[] = [
  variant(
    "tokens/charged-after",
    "Tokens are charged when the response has ended",
    "When tokens are charged is open (RATE-031, RATE-041).",
    { excludes: ["tokens/estimate-reconciled"] },
  ),
  variant(
    "tokens/estimate-reconciled",
    "max_tokens is held and corrected at the end",
    "Holding an estimate is allowed (RATE-031).",
    { excludes: ["tokens/charged-after"] },
  ),
  variant(
    "tokens/left-in-full",
    "A stream that its client leaves is charged as if it had ended",
    "Who leaves has asked for the whole answer; how much of it is charged is open (RATE-031).",
  ),
];
