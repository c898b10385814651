import { accused, passed, type Check, checkHead } from "../verdict/check.ts";
import type { OpOf } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";
import { checkOvercharge } from "./check-overcharge.ts";
import { checkSum } from "./check-sum.ts";
import { accuseCharge, boundCharge } from "./bound-charge.ts";
import { findCharges, unreported } from "./find-charges.ts";
import { labelsWithoutRefill } from "./labels-without-refill.ts";
import type { TokenReadings } from "./token-readings.ts";

/** A small request before and after: the part of itself that a header counts cancels out (O7), and what is left is the charge. */
export function checkCharges(
  ops: readonly OpOf<"tokens">[],
  known: TokenReadings,
  tolerances: Tolerances,
  { needed }: { readonly needed: number },
): Check {
  const chargeHead = checkHead("tokens.wrong-charge", needed);
  const charges = findCharges(ops, tolerances);
  const { step } = known;
  const still = labelsWithoutRefill(ops, tolerances);
  let considered = 0;
  for (const charge of charges) {
    const found = boundCharge(charge, {
      ops,
      known,
      tolerances,
      still,
      total: charge.charged.usedTokens ?? unreported(charge.charged, charges),
    });
    if (found === null) continue;
    if (found.isLarge) considered += 1;
    if (found.fell < found.low || found.fell > found.high)
      return accused(chargeHead, considered, "fail", accuseCharge(charge, found));
  }
  return (
    checkSum(ops, chargeHead, { ...known, tolerances }) ??
    checkOvercharge(ops, chargeHead, step) ??
    passed(
      chargeHead,
      considered,
      considered === 1 ? "1 request was charged what it reports" : `${considered} requests were charged what they report`,
    )
  );
}
