import { isInPhase, type LimitOp } from "../history/op.ts";
import type { LimitCheckId } from "../../core/result/checks/limit-check.ts";
import { burstSettings } from "../history/burst-settings.ts";
import { checkOccurrences, row } from "../verdict/check-occurrences.ts";
import type { Check } from "../verdict/check.ts";
import type { ExamRecord, ProbeJudgement } from "../probe/limit-probe.ts";
import { viewGroup, type GroupView } from "../history/group-view.ts";
import { judgeRequestPolicy } from "./request-policy.ts";
import type { LimitIdentification, LimitTier } from "../../core/result/limits-result.ts";
import type { ManifestFacts } from "../../core/manifest.ts";
import { checkDeclaredLimit } from "./answers/limit-values.ts";
import type { Occurrence } from "../../core/result/occurrence.ts";
import { couldLose } from "./counting/lost-updates.ts";
import { planRequests } from "../../core/declared-limit.ts";
import { declaredRequests } from "../history/declared-requests.ts";

/** Checks that decide no row of the catalogue by themselves: rows of their own do, or the specification says nothing of it. */
const withoutRows: ReadonlySet<LimitCheckId> = new Set([
  "limits.algorithm",
  "limits.limit-differs-from-plan",
  "limits.clocks-differ",
  "limits.limit-unreachable",
]);

/** Judges the request limit of every key and endpoint of which the record holds enough. */
export function judgeRequests({ history, cutsMs, changes, manifest, tolerances, strict }: ExamRecord): ProbeJudgement {
  const options = { manifest, history, tolerances, strict, cutsMs, burst: burstSettings(changes, manifest) };
  const views = [...history.groups].map(([id, members]) => viewGroup(id, members, options));
  const judged = views.filter(isWorthJudging);
  const policies = judged.map((view) => judgeRequestPolicy(view, twinsOf(view, views), manifest));
  const decidesRows = (check: Check): boolean => !withoutRows.has(check.id);
  return {
    policies,
    occurrences: [
      ...policies.flatMap((policy) => checkOccurrences(policy.checks.filter(decidesRows))),
      ...policies.flatMap((policy, index) => observedRows(judged[index]!, policy.tier, policy.identification)),
      ...judged.flatMap(refusalRows),
      ...planRows(views, manifest),
    ],
  };
}

/**
 * A group that a request schedule drained, or one that saw enough traffic to say something about. Requests that were sent aside
 * are judged with the former.
 */
function isWorthJudging(view: GroupView): boolean {
  const foreign = view.ops.some((op) => op.policy !== "" && op.policy !== "requests");
  const aside = view.ops.some((op) => isInPhase(op, "requests", "R"));
  const own = view.ops.filter((op) => !isInPhase(op, "requests", "Q"));
  return view.ops.some((op) => isInPhase(op, "requests", "B")) || (!foreign && !aside && own.length >= 40);
}

/** The pairs that a schedule visits to see whether they notice the drain of another. */
function twinsOf(view: GroupView, views: readonly GroupView[]): readonly GroupView[] {
  const drainedHere = view.ops.some((op) => isInPhase(op, "requests", "D"));
  if (!drainedHere) return [];
  const visited = (other: GroupView): boolean => other.ops.some((op) => isInPhase(op, "requests", "F"));
  return views.filter(
    (other) => other !== view && visited(other) && (other.key === view.key) !== (other.endpoint === view.endpoint),
  );
}

/** Rows that each refusal of the request limit answers by itself. */
function refusalRows(view: GroupView): readonly Occurrence[] {
  const driven = view.ops.filter((op) => op.policy === "requests");
  const refused = driven.filter((op) => op.outcome === "rejected");
  const rows = refused.flatMap((op): readonly Occurrence[] => {
    const body = op.retry?.bodySeconds ?? null;
    const header = op.retry?.header ?? null;
    const lacking = op.headerProblems.some((problem) => problem.kind === "missing");
    const quota = op.cause === "spend";
    return [
      row("RATE-019", op, null),
      row(
        "RATE-020",
        op,
        body !== null
          ? null
          : {
              outcome: header === null ? "fail" : "advisory",
              message: "a 429 has no body member retry-after",
              expected: "retry-after in the body",
              observed: header === null ? "neither" : "header only",
            },
      ),
      row(
        "RATE-033",
        op,
        lacking ? { message: "a 429 lacks rate-limit headers", expected: "six headers", observed: "missing" } : null,
      ),
      row(
        "SPEND-015",
        op,
        quota
          ? {
              message: "the request limit answers with the quota shape",
              expected: "error.code and retry-after",
              observed: "quota_exceeded",
            }
          : null,
      ),
    ];
  });
  return [...rows, ...otherStatusRow(driven, refused)];
}

/** The allowance is used up and what comes then is no 429. */
function otherStatusRow(driven: readonly LimitOp[], refused: readonly LimitOp[]): readonly Occurrence[] {
  const broken = driven.filter(
    (op) => op.status !== null && op.status >= 400 && op.status !== 429 && op.requests.remaining === 0,
  );
  const first = broken[0];
  if (!first || refused.length > 0 || broken.length < 6) return [];
  const message = `${broken.length} requests beyond the limit were answered ${first.status}`;
  return [row("RATE-019", first, { message, expected: "429", observed: String(first.status) })];
}

/** Rows on questions that the specification leaves open and the history answers. */
function observedRows(view: GroupView, tier: LimitTier, identification: LimitIdentification | null): readonly Occurrence[] {
  const first = view.ops[0];
  if (!first) return [];
  const exchanges = [first.seq];
  const rows: Occurrence[] = [];
  const best = identification?.survivors[0];
  if (best) {
    const answer = `${best.family}${identification.survivors.length > 1 ? ", among others" : ""}`;
    rows.push({ requirement: "RATE-036", outcome: "observed", exchanges, message: "window algorithm", answer });
  }
  const whole = view.admitted.find(
    (op) =>
      op.requests.remaining !== null &&
      op.requests.remaining >= (view.limit ?? 0) - 1 &&
      op.sentMs > (view.rejected[0]?.headersMs ?? Number.POSITIVE_INFINITY),
  );
  // An order of decisions that reproduces every reading counts simultaneous requests one by one, whatever its labels are.
  if (tier === "consistent" && couldLose(view)) rows.push({ requirement: "RATE-039", outcome: "pass", exchanges });
  if (tier === "consistent" && whole) rows.push({ requirement: "RATE-040", outcome: "pass", exchanges: [whole.seq] });
  return rows;
}

/** The stated limit against the plan: on every key of which the manifest says what it must be. */
function planRows(views: readonly GroupView[], manifest: ManifestFacts): readonly Occurrence[] {
  return views.flatMap((view): readonly Occurrence[] => {
    const declared = declaredRequests(manifest, view.key);
    const requirement = declared === planRequests.starter ? "RATE-027" : declared === planRequests.pro ? "RATE-028" : null;
    if (requirement === null) return [];
    const check = checkDeclaredLimit(view, declared);
    if (check.verdict === "inconclusive") return [];
    if (check.verdict !== "fail")
      return [{ requirement, outcome: "pass", exchanges: view.ops.slice(0, 3).map(({ seq }) => seq) }];
    const { exchanges, message, expected, observed } = check;
    return [{ requirement, outcome: "fail", exchanges, kind: requirement, message, expected, observed }];
  });
}
