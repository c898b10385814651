import { defaultRunMinutes } from "../../core/default-run-minutes.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { LimitPolicyId } from "../../core/exchange/limit-phase.ts";
import type { SeenLimiter } from "./ask-limiter.ts";
import { limitWhereUnstated } from "../history/declared-requests.ts";
import { dryRun, type DryFigures } from "./dry-run.ts";
import { fitMinutes } from "./fit-minutes.ts";
import { chooseKey, requestKeys } from "../probe/exam-keys.ts";
import { allExamStages, type ExamStages, stagesOfPolicy } from "../probe/exam-stages.ts";
import { type LimitProbe, notJudged, type PreparedProbe } from "../probe/limit-probe.ts";
import { limitProbes } from "./limit-probes.ts";
import type { NotJudged } from "../probe/not-judged.ts";
import type { ExamDepth } from "../probe/probe-tools.ts";
import { supposedRequests } from "../probe/reach.ts";

/** A schedule with what it sends to a correct target of the declared limits. */
export interface PlannedExam extends PreparedProbe, DryFigures {
  readonly policy: LimitPolicyId;
}

/**
 * The requests, minutes and cents that an exam will spend on the target, and the parts that it cannot judge for lack of a
 * fixture, permission or declaration.
 */
export interface LimitsPlan {
  readonly exams: readonly PlannedExam[];
  /** Groups of exams that overlap, one group after the other. */
  readonly groups: readonly (readonly PlannedExam[])[];
  readonly requests: number;
  readonly minutes: number;
  /** By how the target counts and, for cents, what it allows, as far as the manifest leaves it open. */
  readonly range: DryFigures["range"];
  readonly cents: number;
  /** Requests per window of the key whose request limit is examined, where that is supposed; null: it is declared, was seen, or no key is. */
  readonly supposed: number | null;
  readonly notJudged: readonly NotJudged[];
}

/** The facts that are known or asked beside the manifest. */
export interface PlanWishes {
  /** The limiter as answers of the target show it; null: they show nothing. */
  readonly seen?: SeenLimiter | null;
  /** Absent: the whole exam of every policy. */
  readonly stages?: ExamStages;
  /** Minutes of the run that the stages before this one are known to take. */
  readonly minutesBefore?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Measures each schedule by running it against the model of a correct target, on a clock that only counts. Stages that the time of the run
 * does not hold are left out by name.
 */
export async function planLimits(manifest: Manifest, exam: ExamDepth, wishes: PlanWishes = {}): Promise<LimitsPlan> {
  const { seen = null, stages = allExamStages, minutesBefore = 0, signal } = wishes;
  const policyPlans = createPolicyPlans(manifest, exam, { seen, signal });
  const plan = async (some: ExamStages): Promise<LimitsPlan> => joinPolicies(await policyPlans(some), manifest, seen);
  if (manifest.control !== null) return plan(stages);
  const most = Math.max(0, (manifest.budget.maxMinutes ?? defaultRunMinutes) - minutesBefore);
  return fitMinutes(plan, stages, most);
}

/** The plan of one policy for some stages of it. */
interface PolicyPlan {
  readonly exams: readonly PlannedExam[];
  readonly notJudged: readonly NotJudged[];
}

/** Plans policies by stages; a schedule that was measured with the same stages is not run again. */
function createPolicyPlans(
  manifest: Manifest,
  exam: ExamDepth,
  known: Pick<PlanWishes, "seen" | "signal">,
): (stages: ExamStages) => Promise<readonly PolicyPlan[]> {
  const measured = new Map<string, DryFigures>();
  const measure = async (policy: LimitPolicyId, one: PreparedProbe): Promise<DryFigures> => {
    const name = [policy, one.title, one.key, ...one.stages].join("\n");
    const figures = measured.get(name) ?? (await dryRun(one, manifest, exam, known));
    measured.set(name, figures);
    return figures;
  };
  const planPolicy = async (policy: LimitPolicyId, stages: ExamStages): Promise<PolicyPlan> => {
    const probe = limitProbes[policy];
    const { probes, notJudged } = probe.prepare(manifest, { exam, stages });
    const exams: PlannedExam[] = [];
    for (const one of probes) exams.push({ ...one, policy, ...(await measure(policy, one)) });
    const unpaid = describeUnpaid(probe, exams, manifest);
    return unpaid === null ? { exams, notJudged } : { exams: [], notJudged: [unpaid] };
  };
  return async (stages) => {
    const plans: PolicyPlan[] = [];
    for (const policy of Object.keys(limitProbes) as LimitPolicyId[]) {
      if (stagesOfPolicy(policy).some((stage) => stages.has(stage))) plans.push(await planPolicy(policy, stages));
    }
    return plans;
  };
}

function joinPolicies(policies: readonly PolicyPlan[], manifest: Manifest, seen: SeenLimiter | null): LimitsPlan {
  const exams = policies.flatMap((policy) => policy.exams);
  const groups = groupExams(exams, manifest);
  const sum = (pick: (planned: PlannedExam) => number): number => exams.reduce((total, planned) => total + pick(planned), 0);
  const minutesOf = (pick: (planned: PlannedExam) => number): number => {
    const minutes = groups.reduce((total, group) => total + Math.max(...group.map(pick)), 0);
    return manifest.control === null ? Math.round(minutes * 10) / 10 : 0;
  };
  return {
    exams,
    groups,
    requests: sum((planned) => planned.requests),
    minutes: minutesOf((planned) => planned.minutes),
    range: {
      requests: [sum(({ range }) => range.requests[0]), sum(({ range }) => range.requests[1])],
      minutes: [minutesOf(({ range }) => range.minutes[0]), minutesOf(({ range }) => range.minutes[1])],
      cents: [sum(({ range }) => range.cents[0]), sum(({ range }) => range.cents[1])],
    },
    cents: sum((planned) => planned.cents),
    supposed: seen === null && lacksLimit(manifest) ? supposedRequests : null,
    notJudged: policies.flatMap((policy) => policy.notJudged),
  };
}

function lacksLimit(manifest: Manifest): boolean {
  const key = chooseKey(manifest, requestKeys);
  return key !== null && limitWhereUnstated(manifest, key) === null;
}

function describeUnpaid(
  { paid }: LimitProbe,
  planned: readonly PlannedExam[],
  { permissions: { spendUpToCents } }: Manifest,
): NotJudged | null {
  const cents = planned.reduce((total, one) => total + one.cents, 0);
  if (paid === undefined || cents <= spendUpToCents) return null;
  return notJudged(paid, "not-permitted", `up to ${cents} cents are needed, ${spendUpToCents} are allowed`);
}

/**
 * Which exams overlap. In real time they mostly wait, so those with different keys share the wait, and so do drains of other
 * endpoints with the exam of their key. A virtual clock is moved by one caller at a time: one by one.
 */
function groupExams(exams: readonly PlannedExam[], manifest: Manifest): readonly (readonly PlannedExam[])[] {
  const used = new Set<string>();
  const together: PlannedExam[] = [];
  const apart: PlannedExam[] = [];
  for (const exam of exams) {
    const shares = exam.sharesKey === true || !used.has(exam.key);
    (manifest.control === null && !exam.alone && shares ? together : apart).push(exam);
    used.add(exam.key);
  }
  return [...(together.length > 0 ? [together] : []), ...apart.map((exam) => [exam])];
}
