import { accused, inconclusive, passed, type Check, checkHead } from "../verdict/check.ts";
import type { LimitOp } from "../history/op.ts";
import { capAt, type SpendFacts, type SpendView } from "../history/spend-view.ts";
import { cheapNames } from "./cheap-kinds.ts";
import { dollars } from "./crossing-checks.ts";
import { type KindCost, roomAbove, type SpentSum, sumSpent } from "./sum-spent.ts";

const spec = "Limits > Spend caps; Usage report";

/**
 * A cap counts what the usage report shows: at a cap that this sum has reached a request is refused, at one above it is served. Costs
 * that are rounded by call, counted twice or not at all lie on the wrong side of one of them.
 */
export function checkSpentSum(view: SpendView, facts: SpendFacts): Check {
  const own = checkHead("spend.sum-unlike-report");
  if (view.cheap.length === 0) return inconclusive(own, 0, "no requests that cost fractions of a cent were bought");
  const sum = sumSpent(view, facts);
  if (sum === null) return inconclusive(own, view.cheap.length, "usage reports do not show what each kind of request costs");
  const ask = (phase: "below-sum" | "above-sum"): { readonly op: LimitOp; readonly cap: number } | null => {
    const op = view.ops.find((one) => one.phase === phase);
    const cap = op && capAt(view, `key:${view.key}`, "monthly_spend_cap", op);
    return op !== undefined && typeof cap === "number" ? { op, cap } : null;
  };
  const [below, above] = [ask("below-sum"), ask("above-sum")];
  const considered = sum.kinds.reduce((total, { count }) => total + count, 0);
  if (below?.op.outcome === "admitted" && below.cap <= sum.lowCents) {
    if (facts.cycleEnds.some(({ fromMs }) => fromMs <= below.op.headersMs))
      return inconclusive(own, considered, "a billing cycle that ended meanwhile would explain what was admitted");
    return accused(own, considered, "fail", {
      spec,
      ops: [below.op],
      message: `#${below.op.seq} was admitted (${below.op.status}) at a cap of ${dollars(below.cap)}, although key ${view.key} had spent ${exactly(sum.lowCents)} at least by the usage report: ${describe(sum, view)}. A correct service counts toward the cap what it reports, and answers 429`,
      rule: "A cap counts the costs that the usage report shows, to the fraction of a cent.",
      expected: "429 quota_exceeded",
      observed: String(below.op.status),
      parameters: { ...pricesOf(sum, facts), capCents: below.cap },
    });
  }
  const room = roomAbove(sum);
  const asked = below?.op.outcome === "admitted" ? room : 0;
  // A refusal whose cause is not stated may be that of another limit.
  if (above?.op.cause === "spend" && above.cap >= sum.highCents + asked + room)
    return accused(own, considered, "fail", {
      spec,
      ops: [above.op],
      message: `#${above.op.seq} was refused (${above.op.status}) at a cap of ${dollars(above.cap)}, although key ${view.key} had spent ${exactly(sum.highCents)} at most by the usage report: ${describe(sum, view)}. A correct service counts toward the cap what it reports, and serves the request`,
      rule: "A cap counts the costs that the usage report shows, to the fraction of a cent.",
      expected: "served",
      observed: String(above.op.status),
      parameters: { ...pricesOf(sum, facts), capCents: above.cap },
    });
  if (below?.op.outcome !== "rejected" || above?.op.outcome !== "admitted")
    return inconclusive(own, considered, "no cap just below and just above what was spent was asked");
  // A kind that is not counted leaves the sum below the lower cap, one that is counted twice above the higher.
  const shows = ({ cents }: KindCost): boolean => cents > Math.max(sum.highCents - below.cap, above.cap - sum.lowCents);
  const shown = sum.kinds.filter(shows);
  return shown.length === 0
    ? inconclusive(own, considered, `too little was bought to show how it is counted: ${describe(sum, view)}`)
    : passed(own, considered, `the cap counts what the report shows: ${describe({ ...sum, kinds: shown }, view)}`);
}

const exactly = (cents: number): string => `$${(cents / 100).toFixed(4)}`;

function describe({ kinds, purchases }: SpentSum, { priceCents, purchases: [one] }: SpendView): string {
  const parts = kinds.map(({ phase, count, price }) => `${count} of ${cheapNames[phase]} at ${price.lowCents.toFixed(3)}`);
  return [...parts, `${purchases} of ${one?.endpoint ?? "images"} at ${priceCents.toFixed(3)} cents`].join(", ");
}

function pricesOf({ kinds }: SpentSum, { price }: SpendFacts): Readonly<Record<string, number>> {
  return {
    priceCents: price.lowCents,
    ...Object.fromEntries(kinds.map((kind) => [kind.phase, kind.price.lowCents])),
  };
}
