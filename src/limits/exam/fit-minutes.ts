import type { LimitPolicyId } from "../../core/exchange/limit-phase.ts";
import type { ExamPartName } from "../../core/result/checks/limit-policies.ts";
import type { UnjudgedPart } from "../../core/result/limits-result.ts";
import {
  type ExamStage,
  type ExamStages,
  preparingStages,
  stagesOfPolicy,
  stageWords,
  withEarlierStages,
} from "../probe/exam-stages.ts";
import type { NotJudged } from "../probe/not-judged.ts";

/** The members of a plan that its length depends on, in the minutes that are expected. */
interface TimedPlan {
  readonly groups: readonly (readonly TimedExam[])[];
  readonly minutes: number;
  readonly notJudged: readonly NotJudged[];
}

interface TimedExam {
  readonly policy: LimitPolicyId;
  readonly minutes: number;
}

type PlanOf<Plan extends TimedPlan> = (stages: ExamStages) => Promise<Plan>;

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
 * The plan of as many stages as `most` minutes are expected to hold: of the exam that takes longest its last stages are left out, one after
 * the other, and a whole exam where none can be shortened. All that is left out is named.
 */
export async function fitMinutes<Plan extends TimedPlan>(planOf: PlanOf<Plan>, wanted: ExamStages, most: number): Promise<Plan> {
  const whole = await planOf(wanted);
  let stages = wanted;
  let plan = whole;
  while (plan.minutes > most && plan.groups.length > 0) {
    stages = (await withoutStage(planOf, stages, plan)) ?? (await withoutPolicy(planOf, stages, { plan, most }));
    plan = await planOf(stages);
  }
  // One that was left out before a longer one may have its time after all, unless a part of what it needs has not.
  const tooLong: ExamStages[] = [];
  for (const stage of wanted) {
    if (stages.has(stage) || preparingStages.has(stage)) continue;
    const more = new Set([...stages, ...withEarlierStages([stage])].filter((one) => wanted.has(one)));
    if (tooLong.some((part) => [...part].every((one) => more.has(one)))) continue;
    const longer = await planOf(more);
    if (longer.minutes > most) {
      tooLong.push(more);
      continue;
    }
    stages = more;
    plan = longer;
  }
  const cut = (Object.keys(wholePolicy) as LimitPolicyId[]).flatMap((policy) =>
    nameCut(policy, { wanted, stages, whole, plan, most }),
  );
  // The parts for which the manifest lacks something are out of reach whatever the time is.
  return { ...plan, notJudged: [...whole.notJudged, ...cut] };
}

/** Whether anything of a policy is asked: stages that a manifest or the depth of the exam leaves without a schedule ask nothing. */
function asksAny({ groups }: TimedPlan, stages: ExamStages, policy: LimitPolicyId): boolean {
  const asks = stagesOfPolicy(policy).some((stage) => stages.has(stage) && !preparingStages.has(stage));
  return asks && groups.flat().some((exam) => exam.policy === policy);
}

/**
 * Without the last stage whose absence shortens the longest exam, and those that rest on it; null where no exam that others wait for can
 * be shortened.
 */
async function withoutStage<Plan extends TimedPlan>(
  planOf: PlanOf<Plan>,
  stages: ExamStages,
  { groups }: Plan,
): Promise<ExamStages | null> {
  for (const { policy, minutes } of groups.map(longestOf).toSorted(byMinutes).toReversed()) {
    const own = stagesOfPolicy(policy).filter((one) => stages.has(one));
    for (const stage of own.toReversed()) {
      const rest = new Set([...stages].filter((one) => !withEarlierStages([one]).has(stage)));
      const shorter = await planOf(rest);
      if (asksAny(shorter, rest, policy) && minutesOf(shorter, policy) <= minutes - noticedMinutes) return rest;
    }
  }
  return null;
}

/** Without the shortest exam whose absence suffices; where none does, without the longest. */
async function withoutPolicy<Plan extends TimedPlan>(
  planOf: PlanOf<Plan>,
  stages: ExamStages,
  { plan, most }: { readonly plan: Plan; readonly most: number },
): Promise<ExamStages> {
  const without = (policy: LimitPolicyId): ExamStages =>
    new Set([...stages].filter((stage) => !stagesOfPolicy(policy).includes(stage)));
  for (const { policy } of plan.groups.flat().toSorted(byMinutes)) {
    const rest = without(policy);
    if ((await planOf(rest)).minutes <= most) return rest;
  }
  return without(longestOf(plan.groups.flat()).policy);
}

function byMinutes(one: TimedExam, other: TimedExam): number {
  return one.minutes - other.minutes;
}

function longestOf(exams: readonly TimedExam[]): TimedExam {
  return exams.reduce((longest, exam) => (exam.minutes > longest.minutes ? exam : longest));
}

function minutesOf({ groups }: TimedPlan, policy: LimitPolicyId): number {
  return Math.max(0, ...groups.flat().flatMap((exam) => (exam.policy === policy ? [exam.minutes] : [])));
}

interface Cut {
  readonly wanted: ExamStages;
  readonly stages: ExamStages;
  readonly whole: TimedPlan;
  readonly plan: TimedPlan;
  readonly most: number;
}

function nameCut(policy: LimitPolicyId, { wanted, stages, whole, plan, most }: Cut): readonly NotJudged[] {
  const own = stagesOfPolicy(policy);
  const left = own.filter((stage) => wanted.has(stage) && !stages.has(stage));
  if (left.length === 0) return [];
  const text = `budget.maxMinutes leaves ${roundTenths(most)} min to the exams, and all of them take about ${roundTenths(whole.minutes)} min`;
  if (asksAny(plan, stages, policy)) {
    const part: UnjudgedPart = `${policy}, shortened`;
    return [{ policy: part, text: `${text}: without ${listOf(left)}` }];
  }
  const lacking = new Set(whole.notJudged.map((one) => one.policy));
  // The rows stay in scope: the time is a matter of this run, and nothing that the target or its manifest lacks.
  const untested = "not-observed";
  return wholePolicy[policy].filter((part) => !lacking.has(part)).map((part) => ({ policy: part, untested, text }));
}

function roundTenths(minutes: number): number {
  return Math.round(minutes * 10) / 10;
}

function listOf(stages: readonly ExamStage[]): string {
  return stages.map((stage) => stageWords[stage]).join("; ");
}
