import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../verdict/check.ts";
import { type LimitOp, describeSpan } from "../history/op.ts";
import { capAt, type SpendFacts, type SpendView } from "../history/spend-view.ts";

const spec = "Limits > Spend caps";
/** How long after its end a request may be missing in a usage report. */
export const reportLagMs = 5000;
/** How long after its answer a request may be charged, and what was set aside for it be given back. */
export const settleMs = 2500;
/** Step to which a report may be rounded, cents. */
const reportStepCents = 1;

/** A request of the key that met a cap which is certainly known. */
interface Met {
  readonly op: LimitOp;
  readonly capCents: number;
}

/**
 * Checks over purchases that all cost the same, whatever order they were sent in. They lean on refusals that came while nothing of
 * the key was under way: there the spend had certainly come within one purchase of the cap.
 */
export function checkCrossing(view: SpendView, facts: SpendFacts, isAccountUncapped: boolean): readonly Check[] {
  const { own, met, admitted, clear } = meetCaps(view);
  return [
    checkGrowth(facts, clear, met, own),
    judgeReopening(facts, clear, admitted, view),
    checkRoom(view, facts, clear, admitted, isAccountUncapped),
  ];
}

const cyclePhases: ReadonlySet<LimitPhases["spend"]> = new Set(["cycle-before", "cycle-early", "cycle-after"]);

/** Spend does not fall within a cycle: what was refused with no request in flight stays refused while the cap stays. */
export function checkReopening(view: SpendView, facts: SpendFacts): Check {
  // The end of a cycle that the exam waits for is another question.
  const purchases = view.purchases.filter(({ phase }) => !cyclePhases.has(phase));
  const { admitted, clear } = meetCaps({ ...view, purchases });
  return judgeReopening(facts, clear, admitted, view);
}

interface Meetings {
  readonly own: readonly LimitOp[];
  readonly met: readonly Met[];
  readonly admitted: readonly Met[];
  /** Refused by the cap while nothing else of the key was under way. */
  readonly clear: readonly Met[];
}

function meetCaps(view: SpendView): Meetings {
  const own = view.purchases.filter((op) => op.key === view.key);
  const met = own.flatMap((op): readonly Met[] => {
    const capCents = capAt(view, `key:${view.key}`, "monthly_spend_cap", op);
    return typeof capCents === "number" ? [{ op, capCents }] : [];
  });
  const admitted = met.filter(({ op }) => op.outcome === "admitted");
  // Money that was set aside for a request without an answer may be given back at any time.
  const quiet = met.filter(
    ({ op }) =>
      op.cause === "spend" && !own.some((other) => other !== op && isUnderWay(other, op) && other.outcome !== "rejected"),
  );
  const clear = quiet.filter(({ op }) => !own.some((other) => other.outcome === "maybe" && other.sentMs <= op.headersMs));
  return { own, met, admitted, clear };
}

function isUnderWay(other: LimitOp, op: LimitOp): boolean {
  return other.sentMs <= op.headersMs && other.endMs + settleMs >= op.sentMs;
}

function mayHaveReset({ cycleEnds }: SpendFacts, fromMs: number, toMs: number): boolean {
  return cycleEnds.some((end) => end.toMs >= fromMs && end.fromMs <= toMs);
}

export const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;
const unrefused = "no request was refused by the cap while no other request was in flight";

/**
 * A service may set aside any sum for a request. After such a refusal it admits less than the raise of the cap and one purchase
 * more: the one that crosses it (O11).
 */
function checkGrowth(
  { price, ...facts }: SpendFacts,
  clear: readonly Met[],
  met: readonly Met[],
  own: readonly LimitOp[],
): Check {
  const head: CheckHead = checkHead("spend.overshoot");
  if (clear.length === 0) return inconclusive(head, 0, unrefused);
  let isDoubtful = false;
  let considered = 0;
  // The last refusals show most: there the raise was the smallest.
  for (const from of clear.toReversed()) {
    // From the refusal on, until the first purchase of which it is not known which cap it met.
    const later = own.filter((op) => op.sentMs > from.op.headersMs && op.outcome === "admitted");
    const unknown = later.find((op) => !met.some((one) => one.op === op));
    const bought = met.filter(({ op }) => later.includes(op) && (unknown === undefined || op.sentMs < unknown.sentMs));
    const last = bought.at(-1);
    if (last === undefined) continue;
    considered = Math.max(considered, bought.length);
    const raise = Math.max(0, Math.max(...bought.map(({ capCents }) => capCents)) - from.capCents);
    const growth = bought.length * price.lowCents;
    if (growth < raise + price.highCents + 1e-6) continue;
    const untilMs = Math.max(...bought.map(({ op }) => op.headersMs));
    if (mayHaveReset({ price, ...facts }, from.op.sentMs, untilMs)) {
      isDoubtful = true;
      continue;
    }
    return accused(head, bought.length, "fail", {
      spec,
      rule: "A hard cap holds in any order of requests; at most the request that crosses it is admitted.",
      ops: [from.op, ...bought.map(({ op }) => op)],
      message: `#${from.op.seq} was refused at a cap of ${dollars(from.capCents)} with nothing else under way; after it ${bought.length} requests (#${bought[0]!.op.seq} to #${last.op.seq}) were admitted within ${describeSpan(bought.map(({ op }) => op))}, for ${dollars(growth)} in all, while the cap was ${raise > 0 ? `raised by ${dollars(raise)}` : "not raised"}. A correct service of any kind admits ${Math.ceil((raise + price.highCents) / price.lowCents) - 1} at most, the one that crosses the cap included`,
      parameters: { growthCents: growth, raiseCents: raise, priceCents: price.lowCents },
      expected: `at most ${Math.ceil((raise + price.highCents) / price.lowCents) - 1} admitted`,
      observed: `${bought.length} admitted`,
    });
  }
  if (isDoubtful) return inconclusive(head, considered, "a billing cycle that ended meanwhile would explain what was admitted");
  return considered === 0
    ? inconclusive(head, 0, "nothing was admitted after a refusal by the cap")
    : passed(head, considered, `${considered} admitted requests fit what the cap was raised by`);
}

function judgeReopening(facts: SpendFacts, clear: readonly Met[], admitted: readonly Met[], view: SpendView): Check {
  const head: CheckHead = checkHead("spend.reopened");
  const changes = view.changes.filter(
    ({ settings, subject }) => subject === `key:${view.key}` && "monthly_spend_cap" in settings,
  );
  const isSameCap = (from: Met, to: Met): boolean =>
    to.capCents <= from.capCents && !changes.some(({ sentMs }) => sentMs >= from.op.sentMs && sentMs <= to.op.headersMs);
  const pairs = clear.flatMap((from) =>
    admitted.filter((to) => to.op.sentMs > from.op.headersMs && isSameCap(from, to)).map((to) => ({ from, to })),
  );
  const wrong = pairs.find(({ from, to }) => !mayHaveReset(facts, from.op.sentMs, to.op.headersMs));
  if (wrong) {
    const { from, to } = wrong;
    return accused(head, clear.length, "fail", {
      spec,
      rule: "When a cap is reached, requests with that key return 429 until the billing cycle resets.",
      ops: [to.op, from.op],
      message: `#${from.op.seq} was refused at a cap of ${dollars(from.capCents)} with nothing else under way; ${((to.op.sentMs - from.op.headersMs) / 1000).toFixed(1)} s later #${to.op.seq} was admitted, although the cap is ${dollars(to.capCents)}${to.capCents === from.capCents ? " as before" : ""} and no billing cycle ended. A correct service answers 429 until the cap is raised or the cycle ends`,
      parameters: { capCents: from.capCents },
      expected: "429 quota_exceeded",
      observed: String(to.op.status),
    });
  }
  if (pairs.length > 0) return inconclusive(head, clear.length, "a billing cycle may have ended between refusal and admission");
  return clear.length === 0
    ? inconclusive(head, 0, unrefused)
    : passed(head, clear.length, `nothing was admitted after any of ${clear.length} refusals until the cap was changed`);
}

/** Refused with no request in flight although the cap lay two purchases above all that the key can have spent. */
function checkRoom(
  view: SpendView,
  { price }: SpendFacts,
  clear: readonly Met[],
  admitted: readonly Met[],
  isAccountUncapped: boolean,
): Check {
  const head: CheckHead = checkHead("spend.raise-ignored");
  if (!isAccountUncapped)
    return inconclusive(head, 0, "the manifest does not say that the account has no cap, which may refuse as well");
  const purchases = view.purchases.filter((op) => op.key === view.key && (op.outcome === "admitted" || op.outcome === "maybe"));
  const mostSpent = (op: LimitOp): number => {
    const since = (atMs: number): number =>
      price.highCents * purchases.filter((other) => other.endMs >= atMs && other.sentMs <= op.headersMs).length;
    const byReports = view.usage
      .filter((report) => report.atMs <= op.sentMs)
      .map((report) => report.cents + reportStepCents + since(report.sentMs - reportLagMs));
    const byAdmissions = admitted
      .filter((other) => other.op.headersMs <= op.sentMs)
      .map((other) => other.capCents + since(other.op.sentMs));
    return Math.min(...byReports, ...byAdmissions);
  };
  // More than twice the price is set aside by nobody who knows it; what costs are is known beforehand from n, size and quality.
  const isFarBelow = (capCents: number, op: LimitOp): boolean => mostSpent(op) + 2 * price.highCents <= capCents;
  const wrong = clear.find(({ op, capCents }) => isFarBelow(capCents, op));
  const served = admitted.filter(({ op, capCents }) => isFarBelow(capCents, op)).length;
  if (!wrong)
    return served === 0
      ? inconclusive(head, 0, "no request was sent while the cap was certainly far away")
      : passed(head, served, `${served} requests below the cap were served`);
  const spent = mostSpent(wrong.op);
  return accused(head, clear.length, "fail", {
    spec,
    rule: "A cap above the spend does not refuse.",
    ops: [wrong.op],
    message: `#${wrong.op.seq} was refused with 429 by the spend cap, with nothing else under way: the cap is ${dollars(wrong.capCents)}, the key had spent ${dollars(spent)} at most, and a request costs ${dollars(price.highCents)} at most. A correct service serves it, whatever it sets aside for one request`,
    parameters: { capCents: wrong.capCents, spentCents: spent, priceCents: price.highCents },
    expected: "served",
    observed: String(wrong.op.status),
  });
}
