import { accused, inconclusive, passed, type Check, checkHead } from "../verdict/check.ts";
import type { OpOf } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";
import { checkOvercharge } from "./check-overcharge.ts";
import { checkSum } from "./check-sum.ts";
import { accuseCharge, boundCharge } from "./bound-charge.ts";
import { leastLimit } from "./charge-sizes.ts";
import { findCharges, usedBy } from "./find-charges.ts";
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
  const still = labelsWithoutRefill(ops, tolerances);
  let considered = 0;
  for (const charge of charges) {
    const found = boundCharge(charge, {
      ops,
      known,
      tolerances,
      still,
      ...usedBy(charge.charged, charges),
    });
    if (found === null) continue;
    if (found.isLarge) considered += 1;
    if (found.fell < found.low || found.fell > found.high)
      return accused(chargeHead, considered, "fail", accuseCharge(charge, found));
  }
  const wrong =
    checkSum(ops, chargeHead, { ...known, tolerances }) ?? checkOvercharge(ops, chargeHead, { step: known.step, tolerances });
  if (wrong !== null) return wrong;
  const limit = ops.find((op) => op.tokens.limit !== null)?.tokens.limit ?? null;
  if (considered < needed && limit !== null && limit < leastLimit)
    return inconclusive(
      chargeHead,
      considered,
      `a limit of ${limit} tokens is too small for a charge that stands out of the readings around it: ${leastLimit} are needed`,
    );
  return passed(
    chargeHead,
    considered,
    considered === 1 ? "1 request was charged what it reports" : `${considered} requests were charged what they report`,
  );
}
