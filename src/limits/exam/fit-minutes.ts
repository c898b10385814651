import type { LimitPolicyId } from "../../core/exchange/limit-phase.ts";
import type { ExamPartName } from "../../core/result/checks/limit-policies.ts";
import type { UnjudgedPart } from "../../core/result/limits-result.ts";
import { type ExamStage, type ExamStages, stagesOfPolicy, stageWords, withEarlierStages } from "../probe/exam-stages.ts";
import type { NotJudged } from "../probe/not-judged.ts";

/** The members of a plan that its length depends on. */
interface TimedPlan {
  readonly groups: readonly (readonly TimedExam[])[];
  readonly range: { readonly minutes: readonly [least: number, most: number] };
  readonly notJudged: readonly NotJudged[];
}

interface TimedExam {
  readonly policy: LimitPolicyId;
  readonly range: { readonly minutes: readonly [least: number, most: number] };
}

const policies: readonly LimitPolicyId[] = ["requests", "tokens", "burst", "spend"];

/** A stage that shortens its exam by less is kept, minutes. */
const noticedMinutes = 0.05;

/** Every part of a policy that has rows of its own, for a policy that is left out whole. */
const wholePolicy: Readonly<Record<LimitPolicyId, readonly ExamPartName[]>> = {
  requests: ["requests"],
  tokens: ["tokens"],
  burst: ["burst", "queue"],
  spend: ["spend caps"],
};

/**
 * The plan of as many stages as `most` minutes hold, however the target counts: of the exam that takes longest its last stages are left
 * out, one after the other, and named.
 */
export async function fitMinutes<Plan extends TimedPlan>(
  planOf: (stages: ExamStages) => Promise<Plan>,
  wanted: ExamStages,
  most: number,
): Promise<Plan> {
  const whole = await planOf(wanted);
  let stages = wanted;
  let plan = whole;
  while (plan.range.minutes[1] > most && stages.size > 0) {
    stages = await withoutOne(planOf, stages, plan);
    plan = await planOf(stages);
  }
  // One that was left out before a longer one may have its time after all.
  for (const stage of wanted) {
    const more = new Set([...stages, ...withEarlierStages([stage])].filter((one) => wanted.has(one)));
    const isPart = policies.some((policy) => stagesOfPolicy(policy).includes(stage) && hasAny(stages, policy));
    if (stages.has(stage) || !isPart) continue;
    const longer = await planOf(more);
    if (longer.range.minutes[1] > most) continue;
    stages = more;
    plan = longer;
  }
  const cut = policies.flatMap((policy) => nameCut(policy, { wanted, stages, whole, most }));
  return { ...plan, notJudged: [...plan.notJudged, ...cut] };
}

function hasAny(stages: ExamStages, policy: LimitPolicyId): boolean {
  return stagesOfPolicy(policy).some((stage) => stages.has(stage));
}

/** Without the last stage whose absence shortens the longest exam, and those that rest on it; without the policy where none does. */
async function withoutOne<Plan extends TimedPlan>(
  planOf: (stages: ExamStages) => Promise<Plan>,
  stages: ExamStages,
  plan: Plan,
): Promise<ExamStages> {
  const policy = longestPolicy(plan);
  const own = stagesOfPolicy(policy);
  const before = minutesOf(plan, policy);
  for (const stage of own.filter((one) => stages.has(one)).toReversed()) {
    const rest = new Set([...stages].filter((one) => !withEarlierStages([one]).has(stage)));
    if (hasAny(rest, policy) && minutesOf(await planOf(rest), policy) <= before - noticedMinutes) return rest;
  }
  return new Set([...stages].filter((stage) => !own.includes(stage)));
}

function longestPolicy({ groups }: TimedPlan): LimitPolicyId {
  const exams = groups.flat();
  return exams.reduce((longest, exam) => (exam.range.minutes[1] > longest.range.minutes[1] ? exam : longest)).policy;
}

function minutesOf({ groups }: TimedPlan, policy: LimitPolicyId): number {
  return Math.max(0, ...groups.flat().flatMap((exam) => (exam.policy === policy ? [exam.range.minutes[1]] : [])));
}

interface Cut {
  readonly wanted: ExamStages;
  readonly stages: ExamStages;
  readonly whole: TimedPlan;
  readonly most: number;
}

function nameCut(policy: LimitPolicyId, { wanted, stages, whole, most }: Cut): readonly NotJudged[] {
  const own = stagesOfPolicy(policy);
  const left = own.filter((stage) => wanted.has(stage) && !stages.has(stage));
  if (left.length === 0) return [];
  const minutes = minutesOf(whole, policy);
  const allowed = `budget.maxMinutes leaves ${Math.round(most * 10) / 10} min to the exams`;
  if (!hasAny(stages, policy)) {
    const text = `the exam takes up to ${minutes} min, and ${allowed}`;
    return wholePolicy[policy].map((part) => ({ policy: part, untested: "not-permitted" as const, text }));
  }
  const part: UnjudgedPart = `${policy}, shortened`;
  return [{ policy: part, text: `the whole exam takes up to ${minutes} min, and ${allowed}: without ${listOf(left)}` }];
}

function listOf(stages: readonly ExamStage[]): string {
  return stages.map((stage) => stageWords[stage]).join("; ");
}
