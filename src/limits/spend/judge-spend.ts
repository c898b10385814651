import { askBeforeAccusing } from "../probe/ask-before-accusing.ts";
import { checkOccurrences } from "../verdict/check-occurrences.ts";
import type { Check } from "../verdict/check.ts";
import type { ExamRecord, ProbeJudgement } from "../probe/limit-probe.ts";
import { emptyTimeline, judgedByExam, undeclared, type PolicyJudgement } from "../probe/policy.ts";
import { timelineOp } from "../history/timeline.ts";
import { verifyPolicyChecks } from "../certificates/verify-policy-certificate.ts";
import type { Tolerances } from "../history/tolerances.ts";
import { checkSpentSum } from "./check-spent-sum.ts";
import { checkReopening } from "./crossing-checks.ts";
import { checkQuotaShape, checkQuotaWait, checkExempt, freeEndpointRows, hintRows } from "./quota-shape.ts";
import { checkAccountCap, checkCapHolds, checkCapIsolation, checkCycle, checkOvershoot, checkRaise } from "./spend-checks.ts";
import { spendFactsOf, type SpendView } from "../history/spend-view.ts";

/** Judges the caps of one key and of its account. */
export function judgeSpend({ spend: view, tolerances, offsetMs, manifest }: ExamRecord): ProbeJudgement {
  // No price was measured, or none that lets caps be examined.
  if (view === null || view.priceCents <= 0 || !view.ops.some(({ phase }) => phase !== "price"))
    return { policies: [], occurrences: [] };
  const facts = spendFactsOf(view, offsetMs);
  const verified = verifyPolicyChecks(
    [
      ...checkCapHolds(view, facts),
      checkOvershoot(view, facts),
      checkRaise(view, facts),
      checkSpentSum(view, facts),
      checkReopening(view, facts),
      checkCapIsolation(view, facts),
      checkExempt(view),
      ...checkQuotaShape(view),
      checkQuotaWait(view),
      ...checkCycle(view, manifest),
    ],
    view.ops,
  );
  const keyChecks = askBeforeAccusing(verified, tolerances);
  const accountChecks = verifyPolicyChecks([checkAccountCap(view, facts)], view.ops);
  const policies = [policyOf("key-cap", keyChecks, view, tolerances, offsetMs)];
  if (view.ops.some((op) => op.phase === "account"))
    policies.push(policyOf("account-cap", accountChecks, view, tolerances, offsetMs));
  const visible = view.usage.at(-1)!.cents > view.usage[0]!.cents;
  return {
    policies,
    occurrences: [
      ...checkOccurrences([...keyChecks, ...accountChecks]),
      ...freeEndpointRows(view),
      ...hintRows(view),
      ...(visible ? [{ requirement: "SPEND-022", outcome: "pass", exchanges: view.usage.map(({ seq }) => seq) } as const] : []),
    ],
  };
}

function policyOf(
  kind: "key-cap" | "account-cap",
  checks: readonly Check[],
  view: SpendView,
  tolerances: Tolerances,
  offsetMs: number | null,
): PolicyJudgement {
  const subject = kind === "key-cap" ? `key:${view.key}` : "account";
  const member = kind === "key-cap" ? "monthly_spend_cap" : "account_spend_cap";
  const changes = view.changes.filter((change) => change.subject === subject && member in change.settings);
  // The cap of a key is compared with what this key bought, the cap of the account and the usage report with all.
  const counted = view.purchases.filter((op) => kind === "account-cap" || op.key === view.key);
  const agreed = `${view.purchases.length} purchases at ${view.priceCents.toFixed(2)} cents: caps hold as set`;
  let cents = kind === "account-cap" ? (view.usage[0]?.cents ?? 0) : 0;
  const spend = counted
    .filter((op) => op.outcome === "admitted" && Number.isFinite(op.endMs))
    .map((op) => {
      cents += view.priceCents;
      return { atMs: op.endMs, cents, source: "responses" as const };
    });
  const reported = view.usage.map(({ atMs, cents: total }) => ({ atMs, cents: total, source: "usage-report" as const }));
  return {
    id: `${kind}/${view.key}`,
    title: kind === "key-cap" ? `Monthly cap of key ${view.key}` : "Monthly cap of the account",
    kind,
    key: view.key,
    endpoint: null,
    declared: {
      ...undeclared,
      capCents: changes.findLast((change) => change.settings[member] !== null)?.settings[member] ?? null,
    },
    ...judgedByExam(kind, checks, agreed),
    checks,
    identification: null,
    tolerances: { ...tolerances },
    timeline: {
      ...emptyTimeline,
      ops: view.purchases.map((op) => timelineOp(op, offsetMs)),
      spend: kind === "key-cap" && view.twin !== null ? spend : [...spend, ...reported],
      caps: changes.flatMap(({ answeredMs, settings }) =>
        Number.isFinite(answeredMs) ? [{ atMs: answeredMs, cents: settings[member] ?? null }] : [],
      ),
    },
  };
}
