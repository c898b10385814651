import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { SettingChange } from "../history/burst-settings.ts";
import { inconclusive, type Check } from "../verdict/check.ts";
import { isInPhase, type LimitOp, type OpOf } from "../history/op.ts";
import { emptyTimeline, undeclared, type PolicyJudgement, hasWithheld, policyVerdict } from "../probe/policy.ts";
import { timelineOp } from "../history/timeline.ts";
import type { Tolerances } from "../history/tolerances.ts";
import { verifyPolicyChecks } from "../certificates/verify-policy-certificate.ts";
import { checkCrossing, settleMs } from "./crossing-checks.ts";
import { checkQuotaShape, checkQuotaWait } from "./quota-shape.ts";
import { checkCapHolds } from "./spend-checks.ts";
import { spendFactsOf, type SpendView, type UsageReport } from "../history/spend-view.ts";

export interface CrossingInput {
  readonly key: string;
  /** All that this key bought, in the order of sending: each one costs the same. */
  readonly purchases: readonly LimitOp[];
  readonly bySeq: ReadonlyMap<number, Exchange>;
  readonly usage: readonly UsageReport[];
  readonly changes: readonly SettingChange[];
  readonly manifest: Pick<Manifest, "exclusive" | "propagationSeconds" | "restore">;
  readonly tolerances: Tolerances;
  readonly offsetMs: number | null;
}

/** Judges the cap of one key that is crossed by requests of any number at once; null where no price was measured. */
export function judgeCrossing(input: CrossingInput): PolicyJudgement | null {
  const { key, manifest, tolerances, offsetMs } = input;
  const { exclusive, propagationSeconds, restore } = manifest;
  // The checks of the exam show by phases what they look at: here it is every purchase but those that show the price.
  const purchases = input.purchases.map((op): OpOf<"spend"> => {
    const phase = isInPhase(op, "spend", "price") ? "price" : "capped";
    return { ...op, policy: "spend", phase };
  });
  const priced = purchases.filter(({ phase, outcome }) => phase === "price" && outcome === "admitted");
  const [first] = priced;
  const last = priced.at(-1);
  const before = input.usage.findLast((report) => first !== undefined && report.atMs <= first.sentMs);
  const after = input.usage.find((report) => last !== undefined && report.sentMs >= last.endMs);
  if (before === undefined || after === undefined) return null;
  const { bySeq, usage, changes } = input;
  const view: SpendView = {
    key,
    twin: null,
    priceCents: (after.cents - before.cents) / priced.length,
    ops: purchases,
    purchases,
    bySeq,
    usage,
    cheap: [],
    cheapUsage: [],
    changes,
    settleMs: propagationSeconds * 1000,
    isExam: false,
  };
  if (view.priceCents < 2) return null;
  // A report may lack what was charged after its answer.
  const settled = purchases.map((op) => ({ ...op, endMs: op.endMs + settleMs }));
  const facts = spendFactsOf({ ...view, purchases: settled }, offsetMs);
  const crossing = checkCrossing(view, facts, restore.account?.account_spend_cap === null);
  const [holds] = checkCapHolds(view, facts);
  const checks = verifyPolicyChecks(
    [
      ...(holds === undefined ? [] : [holds]),
      ...(exclusive ? crossing : crossing.map(othersUseIt)),
      ...checkQuotaShape(view),
      checkQuotaWait(view),
    ],
    purchases,
  );
  return describe(input, view, checks, { ...tolerances });
}

function othersUseIt(check: Check): Check {
  return inconclusive(check, 0, "others may use the key (exclusive is false)");
}

function describe(
  { key, changes, offsetMs }: CrossingInput,
  { purchases, priceCents }: SpendView,
  checks: readonly Check[],
  tolerances: Readonly<Record<string, number>>,
): PolicyJudgement {
  const wrong = checks.find(({ verdict }) => verdict === "fail");
  const tier = wrong
    ? "violation"
    : checks.some(({ verdict }) => verdict === "pass") && !hasWithheld(checks)
      ? "unrefuted"
      : "inconclusive";
  const caps = changes.filter(({ subject, settings }) => subject === `key:${key}` && "monthly_spend_cap" in settings);
  return {
    id: `key-cap/${key}`,
    title: `Monthly cap of key ${key} under load`,
    kind: "key-cap",
    key,
    endpoint: null,
    declared: {
      ...undeclared,
      capCents: caps.findLast(({ settings }) => settings["monthly_spend_cap"] !== null)?.settings["monthly_spend_cap"] ?? null,
    },
    tier,
    drivenBy: "load",
    verdict: policyVerdict(tier, checks),
    summary: wrong?.message ?? `${purchases.length} purchases at ${priceCents.toFixed(2)} cents: the cap holds as set`,
    checks,
    identification: null,
    tolerances,
    timeline: { ...emptyTimeline, ops: purchases.map((op) => timelineOp(op, offsetMs)) },
  };
}
