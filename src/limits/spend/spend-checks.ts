import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import { accused, inconclusive, notApplicable, passed, type Check, type CheckHead, checkHead } from "../verdict/check.ts";
import { type LimitOp, describeSpan } from "../history/op.ts";
import { dollars } from "./crossing-checks.ts";
import type { CycleEnd } from "../history/cycle-ends.ts";
import { roomForOne } from "./purchases-together.ts";
import { reportStepCents } from "../history/price-bounds.ts";
import { boughtBefore, capAt, type SpendFacts, type SpendView, type UsageReport } from "../history/spend-view.ts";

const spec = "Limits > Spend caps";
/** The most that the account can have spent by a report, which may be rounded, cents. */
function mostByReport(view: SpendView, report: UsageReport): number {
  return report.cents + reportStepCents(view.usage.map(({ cents }) => cents));
}

/** The first request that was admitted beyond the cap, if no end of a billing cycle explains all of them. */
function findBeyondCap(
  { cycleEnds }: SpendFacts,
  isBeyond: (op: LimitOp, cycleEnd: CycleEnd | null) => boolean,
  judged: readonly LimitOp[],
): { readonly op: LimitOp; readonly isExcused: boolean } | null {
  const admitted = judged.filter(({ outcome }) => outcome === "admitted");
  const op = admitted.find((one) => isBeyond(one, null));
  if (!op) return null;
  return { op, isExcused: !cycleEnds.every((end) => admitted.some((one) => isBeyond(one, end))) };
}

const cycleMayHaveEnded = "more was admitted than the cap allows; a billing cycle that ended meanwhile would explain it";

/** Admitted although what this exam itself bought has reached the cap of the key: the phase shows how the cap came about. */
export function checkCapHolds(view: SpendView, facts: SpendFacts): readonly Check[] {
  const groups: readonly (readonly [CheckHead, "fail" | "advisory", readonly LimitPhases["spend"][]])[] = [
    [checkHead("spend.admitted-at-cap"), "fail", ["capped", "raced"]],
    [checkHead("spend.lower-ignored"), "fail", ["lowered", "lowered-at-once"]],
    // The meaning of zero is not stated (AMB-19): if an account is charged above it, that is worth an advisory, no more.
    [checkHead("spend.zero-ignored"), "advisory", ["zero"]],
  ];
  return groups.map(([own, verdict, phases]) => {
    const judged = view.purchases.filter((op) => op.key === view.key && phases.includes(op.phase));
    const known = judged.filter((op) => typeof capAt(view, `key:${view.key}`, "monthly_spend_cap", op) === "number");
    // After the race the cap lies above what is certain; there the refusal before the raise is the measure.
    const isBeyond = (op: LimitOp, cycleEnd: CycleEnd | null): boolean => {
      const bought = boughtBefore(view, facts, op, view.key, cycleEnd);
      return bought > 0 && bought >= capAt(view, `key:${view.key}`, "monthly_spend_cap", op)!;
    };
    const wrong = findBeyondCap(facts, isBeyond, known);
    const refused = known.filter(({ outcome }) => outcome === "rejected").length;
    if (!wrong)
      return refused === 0
        ? inconclusive(own, 0, "no request met a cap that was certainly reached")
        : passed(own, refused, `${refused} requests at the cap were refused`);
    if (wrong.isExcused) return inconclusive(own, known.length, cycleMayHaveEnded);
    const cap = capAt(view, `key:${view.key}`, "monthly_spend_cap", wrong.op) ?? 0;
    const bought = boughtBefore(view, facts, wrong.op, view.key, null);
    return accused(own, known.length, verdict, {
      spec,
      ops: [wrong.op],
      message: `#${wrong.op.seq} was admitted (${wrong.op.status}) although the cap of key ${view.key} is ${dollars(cap)}${wrong.op.phase === "lowered-at-once" ? ", set at the same moment as another setting," : ""} and what this exam alone bought with it before had cost ${dollars(bought)}. A correct service answers 429 quota_exceeded, ${verdict === "advisory" ? "if zero means that nothing may be spent" : "whatever else the key had spent"}`,
      rule: "Requests of a key are refused once its spend has reached its cap.",
      expected: "429 quota_exceeded",
      observed: String(wrong.op.status),
      parameters: { capCents: cap, boughtCents: bought, priceCents: facts.price.lowCents },
    });
  });
}

/** Simultaneous requests: the growth must fit what the raise of the cap made available, a crossing request included (O11). */
export function checkOvershoot(view: SpendView, { price, cycleEnds }: SpendFacts): Check {
  const own = checkHead("spend.overshoot");
  const race = view.purchases.filter((op) => op.phase === "race");
  const first = race[0];
  if (first !== undefined && first.endpoint !== "images")
    return notApplicable(
      own,
      race.length,
      "no pictures were bought, and the cost of another answer is known only when it has ended",
    );
  const refused = view.purchases.findLast((op) => op.phase === "raised" && op.outcome === "rejected");
  const [low, high] = [refused, first].map((op) => (op ? capAt(view, `key:${view.key}`, "monthly_spend_cap", op) : undefined));
  if (!first || !refused || typeof low !== "number" || typeof high !== "number") {
    return inconclusive(own, race.length, "the cap was not reached before the race");
  }
  const admitted = race.filter((op) => op.outcome === "admitted");
  const growth = admitted.length * price.lowCents;
  // All cost the same, so that at least this is bought before the one that crosses the cap.
  const beforeLast = growth - price.lowCents;
  const lastMs = race.reduce((most, op) => Math.max(most, op.sentMs), first.sentMs);
  if (beforeLast >= high - low && cycleEnds.some((end) => end.toMs >= refused.sentMs && end.fromMs <= lastMs))
    return inconclusive(own, race.length, cycleMayHaveEnded);
  const overlap = race.filter((op) =>
    race.some((other) => other !== op && other.sentMs < op.headersMs && op.sentMs < other.headersMs),
  ).length;
  if (overlap < race.length / 2) return inconclusive(own, race.length, "the requests did not overlap enough to race");
  const isWithin = beforeLast < high - low - 1e-6;
  // Refusals of another limit are left out: without a refusal by the cap nothing was contested.
  if (isWithin && !race.some((op) => op.outcome === "rejected"))
    return inconclusive(
      own,
      race.length,
      `${admitted.length} simultaneous requests were admitted, and none was refused by the cap`,
    );
  if (isWithin)
    return passed(
      own,
      race.length,
      `${admitted.length} of ${race.length} simultaneous requests were admitted, ${dollars(growth)} of ${dollars(high - low)} that the raise allowed`,
    );
  return accused(own, race.length, "fail", {
    spec,
    ops: [refused, ...admitted],
    message: `#${refused.seq} was refused at a cap of ${dollars(low)}, which was then raised by ${dollars(high - low)}; of ${race.length} requests sent together ${admitted.length} were admitted within ${describeSpan(race)}, for ${dollars(growth)}. A correct service admits ${Math.ceil((high - low) / price.lowCents)} at most, the one that crosses the cap included, and refuses the others with 429`,
    rule: "A hard cap holds in any order of requests; at most the request that crosses it is admitted.",
    expected: `at most ${Math.ceil((high - low) / price.lowCents)} admitted`,
    observed: `${admitted.length} admitted`,
    parameters: { growthCents: growth, raiseCents: high - low, priceCents: price.lowCents },
  });
}

export function checkRaise(view: SpendView, { price }: SpendFacts): Check {
  const own = checkHead("spend.raise-ignored");
  const op = view.purchases.find(({ phase }) => phase === "raised");
  if (!op) return inconclusive(own, 0, "the cap was not raised");
  if (op.outcome !== "rejected") return passed(own, 1, "the first request after the raise was admitted");
  const report = view.usage.find(({ phase }) => phase === "usage-raise");
  const cap = capAt(view, `key:${view.key}`, "monthly_spend_cap", op);
  if (!report || typeof cap !== "number" || cap < mostByReport(view, report) + roomForOne(price.highCents))
    return inconclusive(own, 1, "what the account had spent before the raise is not known");
  return accused(own, 1, "fail", {
    spec,
    ops: [op],
    message: `#${op.seq} was refused (${op.status}) although the cap of key ${view.key} had been raised to ${dollars(cap)} and the whole account had spent ${dollars(report.cents)} by the usage report, less by more than two requests and what may be rounded. A correct service admits it`,
    rule: "A cap above the spend does not refuse.",
    expected: "admitted",
    observed: String(op.status),
  });
}

export function checkCapIsolation(view: SpendView, facts: SpendFacts): Check {
  const own = checkHead("spend.keys-share-cap");
  const capped = view.purchases.find((op) => op.phase === "capped" && op.outcome === "rejected");
  const other = view.purchases.find((op) => op.phase === "twin");
  if (!capped || !other) return inconclusive(own, 0, "no other key was tried while one was at its cap");
  const shared = foreignSpend(view, facts, own);
  if (shared) return shared;
  if (other.outcome === "admitted") return passed(own, 1, `key ${other.key} was served while ${view.key} was at its cap`);
  if (other.outcome !== "rejected") return inconclusive(own, 1, `key ${other.key} was answered ${other.status}`);
  return accused(own, 1, "fail", {
    spec,
    ops: [capped, other],
    message: `#${capped.seq} of key ${view.key} was refused at its cap; #${other.seq} of key ${other.key}, which has no cap that is reached, was sent after it and refused as well (${other.status}). A correct service serves it: a key's cap refuses that key`,
    rule: "A key's cap refuses that key.",
    expected: "served",
    observed: String(other.status),
  });
}

/**
 * The key was refused although its cap lies two purchases above everything that the other key did not buy: what a cap is compared
 * with includes the spend of others.
 */
function foreignSpend(view: SpendView, facts: SpendFacts, own: CheckHead): Check | null {
  const asked = view.purchases.filter((op) => op.key === view.key && (op.phase === "raised" || op.phase === "search"));
  const report = view.usage.find(({ phase }) => phase === "usage-raise");
  // A price without an upper bound leaves open what the key itself spent.
  if (report === undefined || view.twin === null || !Number.isFinite(facts.price.highCents)) return null;
  const twinCents = boughtBefore(view, facts, asked[0] ?? view.purchases[0]!, view.twin, null);
  const notTwins = mostByReport(view, report) - twinCents;
  for (const refused of asked.filter(({ outcome }) => outcome === "rejected")) {
    const cap = capAt(view, `key:${view.key}`, "monthly_spend_cap", refused);
    if (typeof cap !== "number") continue;
    const since = view.purchases.filter(
      (op) =>
        op.key === view.key &&
        (op.outcome === "admitted" || op.outcome === "maybe") &&
        op.endMs >= report.sentMs &&
        op.sentMs <= refused.headersMs,
    );
    // Leeway for limiters that set more aside than a request costs, and that round.
    if (notTwins + since.length * facts.price.highCents + roomForOne(facts.price.highCents) > cap) continue;
    return accused(own, asked.length, "fail", {
      spec,
      ops: [...since.filter(({ outcome }) => outcome === "admitted"), refused],
      message: `#${refused.seq} of key ${view.key} was refused at a cap of ${dollars(cap)}. The account had spent ${dollars(report.cents)} by the usage report, ${dollars(twinCents)} of it with key ${view.twin}, and this key bought ${since.length} more since: its own spend leaves room for ${Math.floor((cap - notTwins) / facts.price.highCents - since.length)} requests. A correct service admits it, and counts what another key spends against that key`,
      rule: "A key's cap is compared with the spend of that key.",
      expected: "served",
      observed: String(refused.status),
      parameters: { capCents: cap, twinCents, reportedCents: report.cents, priceCents: view.priceCents },
    });
  }
  return null;
}

export function checkAccountCap(view: SpendView, facts: SpendFacts): Check {
  const own = checkHead("spend.account-cap-ignored");
  const judged = view.purchases.filter(
    (op) => op.phase === "account" && typeof capAt(view, "account", "account_spend_cap", op) === "number",
  );
  const capOf = (op: LimitOp): number => capAt(view, "account", "account_spend_cap", op)!;
  const isBeyond = (op: LimitOp, cycleEnd: CycleEnd | null): boolean =>
    boughtBefore(view, facts, op, null, cycleEnd) >= capOf(op);
  const wrong = findBeyondCap(facts, isBeyond, judged);
  if (judged.length === 0) return inconclusive(own, 0, "no account cap was set");
  const refused = judged.filter(({ outcome }) => outcome === "rejected");
  if (!wrong && refused.length === 0)
    return inconclusive(own, 0, "the account cap was not certainly reached by what this exam bought");
  if (!wrong) {
    const keys = new Set(refused.map(({ key }) => key)).size;
    return passed(
      own,
      refused.length,
      `${refused.length} requests of ${keys === 1 ? "one key" : `${keys} keys`} were refused at the account cap`,
    );
  }
  if (wrong.isExcused) return inconclusive(own, judged.length, cycleMayHaveEnded);
  const { op } = wrong;
  const bought = boughtBefore(view, facts, op, null, null);
  return accused(own, judged.length, "fail", {
    spec,
    ops: [op],
    message: `#${op.seq} of key ${op.key} was admitted (${op.status}) although the account cap is ${dollars(capOf(op))} and what this exam alone bought before, with all keys of the account, had cost ${dollars(bought)}. A correct service answers 429 quota_exceeded, whatever the cap of the key`,
    rule: "No key can exceed the ceiling of the account, whatever its own cap.",
    expected: "429 quota_exceeded",
    observed: String(op.status),
    parameters: { capCents: capOf(op), priceCents: facts.price.lowCents },
  });
}

/**
 * Only where the end of the billing cycle that the refusals name lay within the time of the exam. Each key is judged by its last purchase
 * after it; where others may spend with the keys, they may have reached a cap of the new cycle.
 */
export function checkCycle(view: SpendView, { exclusive }: { readonly exclusive: boolean }): readonly Check[] {
  const early = checkHead("spend.cycle-early");
  const late = checkHead("spend.cycle-not-reset");
  const before = view.purchases.filter((op) => op.phase === "cycle-early");
  const after = view.purchases.filter((op) => op.phase === "cycle-after");
  const soon = before.find((op) => op.outcome === "admitted");
  const never = after.find(
    (op) =>
      op.outcome === "rejected" &&
      op.cause === "spend" &&
      !after.some((other) => other.key === op.key && other.sentMs > op.sentMs),
  );
  const unvisited = "the end of the billing cycle that refusals name lies beyond the time of the exam";
  const rule = "Refusals last until the billing cycle resets, and no longer.";
  return [
    soon
      ? accused(early, before.length, "fail", {
          spec,
          ops: [soon],
          message: `#${soon.seq} was admitted (${soon.status}) a minute before the end of the billing cycle that the refusals at the cap name. A correct service answers 429 until that instant, or names an earlier one`,
          rule,
          expected: "429",
          observed: String(soon.status),
        })
      : before.length > 0
        ? passed(early, before.length, "still refused a minute before the cycle ends")
        : inconclusive(early, 0, unvisited),
    never && !exclusive
      ? inconclusive(late, after.length, "refused after the cycle ended, and others may have spent since (exclusive)")
      : never
        ? accused(late, after.length, "fail", {
            spec,
            ops: [never],
            message: `#${never.seq} of key ${never.key} was refused (${never.status}) after the end of the billing cycle that the refusals at the cap had named. A correct service serves it: the spend of the new cycle is zero`,
            rule,
            expected: "served",
            observed: "429",
          })
        : after.some(({ outcome }) => outcome === "admitted")
          ? passed(late, after.length, "served after the cycle ended")
          : inconclusive(late, after.length, after.length === 0 ? unvisited : "no purchase after the cycle ended was answered"),
  ];
}
