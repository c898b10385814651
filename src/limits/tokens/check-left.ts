import type { OpOf } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";
import { accused, type Check, checkHead, inconclusive, passed } from "../verdict/check.ts";
import { accuseLeftTogether } from "./accuse-left-together.ts";
import { accuseCharge, boundCharge } from "./bound-charge.ts";
import { findCharges, usedBy } from "./find-charges.ts";
import { labelsWithoutRefill } from "./labels-without-refill.ts";
import { isOfLeaving } from "./left-together.ts";
import type { TokenReadings } from "./token-readings.ts";

const head = checkHead("tokens.left-free");

/**
 * Streams that their clients left: charged whole, or as far as it was delivered, and in either case for the prompt. null where none was
 * left.
 */
export function checkLeft(ops: readonly OpOf<"tokens">[], known: TokenReadings, tolerances: Tolerances): Check | null {
  if (!ops.some(isOfLeaving)) return null;
  const labels = labelsWithoutRefill(ops, tolerances);
  const together = accuseLeftTogether(ops, { known, tolerances, countsByWindows: labels.size > 0 });
  if (together !== null) return accused(head, together.ops.length - 2, "fail", together);
  const charges = findCharges(ops, tolerances);
  const left = charges.find(({ charged }) => charged.phase === "charge-left");
  if (left === undefined) return inconclusive(head, 0, "the stream was not admitted, or no readings stand around it");
  // A limiter that brought nothing back in another window counts by windows; this one is too fresh to show it.
  const still = labels.size === 0 ? labels : new Set([...labels, left.before.tokens.resetMs]);
  const bounds = boundCharge(left, {
    ops,
    known,
    tolerances,
    still,
    ...usedBy(left.charged, charges),
  });
  if (bounds === null || !bounds.isLarge)
    return inconclusive(head, 1, `refills and readings hide the charge of the stream that was left (#${left.charged.seq})`);
  if (bounds.fell < bounds.low) return accused(head, 1, "fail", accuseCharge(left, bounds));
  return passed(
    head,
    1,
    `the stream that its client left (#${left.charged.seq}) was charged: remaining tokens fell by ${bounds.fell}`,
  );
}
