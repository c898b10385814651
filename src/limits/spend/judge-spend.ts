import { askBeforeAccusing } from "../probe/ask-before-accusing.ts";
import { checkOccurrences } from "../verdict/check-occurrences.ts";
import { type Check, checkHead, inconclusive } from "../verdict/check.ts";
import { opsOf } from "../history/op.ts";
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
export function judgeSpend(record: ExamRecord): ProbeJudgement {
  const { spend: view, tolerances, offsetMs, manifest } = record;
  // No price was measured, or none that lets caps be examined.
  if (view === null || view.priceCents <= 0 || !view.ops.some(({ phase }) => phase !== "price")) return withoutPrice(record);
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
  const cached = cachedReports(record);
  const named = (policy: PolicyJudgement): PolicyJudgement =>
    policy.verdict === "inconclusive" && cached !== null ? { ...policy, summary: `${policy.summary}; ${cached}` } : policy;
  const policies = [named(policyOf("key-cap", keyChecks, view, tolerances, offsetMs))];
  if (view.ops.some((op) => op.phase === "account"))
    policies.push(named(policyOf("account-cap", accountChecks, view, tolerances, offsetMs)));
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

/** `3 usage reports came from a cache`; null: none did. */
function cachedReports({ history: { ops, replays } }: ExamRecord): string | null {
  const count = opsOf(ops, "spend").filter(({ endpoint, seq }) => endpoint === "usage" && replays.has(seq)).length;
  return count === 0 ? null : `${count} usage ${count === 1 ? "report" : "reports"} came from a cache`;
}

/** Named where reports from a cache are why. */
function withoutPrice(record: ExamRecord): ProbeJudgement {
  const { history, tolerances } = record;
  const cached = cachedReports(record);
  const key = opsOf(history.ops, "spend").find(({ phase }) => phase === "price")?.key;
  if (cached === null || key === undefined) return { policies: [], occurrences: [] };
  const text = `${cached}, so that nothing shows what a purchase costs`;
  const check = inconclusive(checkHead("spend.admitted-at-cap"), 0, text);
  const policy: PolicyJudgement = {
    id: `key-cap/${key}`,
    title: `Monthly cap of key ${key}`,
    kind: "key-cap",
    key,
    endpoint: null,
    declared: undeclared,
    ...judgedByExam("key-cap", [check], text),
    checks: [check],
    identification: null,
    tolerances: { ...tolerances },
    timeline: emptyTimeline,
  };
  return { policies: [policy], occurrences: checkOccurrences([check]) };
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
