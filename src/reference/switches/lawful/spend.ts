import { variant } from "../switch-builders.ts";
import type { Variant } from "../switch.ts";

export const spendVariants: readonly Variant[] = [
  variant(
    "spend/after-crossing",
    "The request that crosses the cap is served, the next one refused",
    "Costs are known only afterwards (AMB-38); what is in flight counts.",
  ),
  variant(
    "spend/account-first",
    "Where both caps are reached, that of the account refuses",
    "Which of two reached caps is named is open; no key can exceed either.",
  ),
  variant("spend/anniversary-cycle", "The billing month begins on the 15th", "Where the cycle begins is open (AMB-17).", {
    changes: ["SPEND-005"],
  }),
  variant(
    "spend/retry-after-header",
    "Quota refusals carry Retry-After too",
    "The header is open for quota refusals (SPEND-016).",
  ),
  variant(
    "spend/all-endpoints-refused",
    "A cap refuses free endpoints too, but no PATCH",
    "Requests with that key are refused (AMB-20).",
    { changes: ["SPEND-009"] },
  ),
];
