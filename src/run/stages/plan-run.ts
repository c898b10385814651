import { checkControl } from "../check-control.ts";
import { groupBy } from "../../core/group-by.ts";
import { casesOfRun } from "../cases-of-run.ts";
import { exitCodes, type ExitCode } from "../../core/result/verdict.ts";
import { planConformance, type PlannedCost } from "../../conformance/plan/plan-conformance.ts";
import { type ConformanceBounds, conformanceBounds } from "../../conformance/send/conformance-bounds.ts";
import { longestExamMinutes } from "../../limits/exam/longest-exam-minutes.ts";
import { reasonOf } from "../../limits/probe/not-judged.ts";
import type { LimitsPlan } from "../../limits/exam/plan-limits.ts";
import { describeRoom } from "../../load/plan/describe-room.ts";
import { describeWorstCase } from "../../load/plan/describe-worst-case.ts";
import { longestSeconds } from "../../load/plan/longest-seconds.ts";
import { describeBlockers } from "../../load/profile/blocker.ts";
import { describePlan, type LoadPlan } from "../../load/plan/plan-load.ts";
import type { LoadedProfile } from "../../load/plan/read-profile.ts";
import { findLoadRefusals, type LoadRefusal, refusesEverything } from "./find-load-refusals.ts";
import { describeSeen, type SeenLimiter } from "../../limits/exam/ask-limiter.ts";
import type { Manifest } from "../../core/manifest.ts";
import { createWire } from "../../wire/client/wire.ts";
import { createRealClock } from "../../wire/clock/real-clock.ts";
import { chooseExam, planLimitsStage, seeLimiter } from "./limits-stage.ts";
import type { PlannedPart } from "../../core/progress.ts";
import { openTarget } from "../open-target.ts";
import { createLoadPlans, type LoadPlans } from "./load-plans.ts";
import { planParts } from "./plan-parts.ts";
import { selectSuites } from "../select-suites.ts";
import type { RunOptions } from "../run-options.ts";

export interface RunPlan {
  readonly text: string;
  /** The same for programs, with every send time. */
  readonly plan: PlannedStages;
  /** As the run would end for what it is not permitted or cannot do; 0 where nothing is known against it. */
  readonly exitCode: ExitCode;
}

export interface PlannedStages {
  readonly target: { readonly name: string; readonly baseUrl: string };
  readonly conformance:
    | ({ readonly cases: number; readonly notPossible: readonly NotPossible[]; readonly atMost: ConformanceBounds } & PlannedCost)
    | null;
  readonly limits:
    | (Pick<LimitsPlan, "requests" | "minutes" | "range" | "cents" | "supposed"> & {
        readonly exams: readonly { readonly title: string; readonly requests: number; readonly minutes: number }[];
        readonly notPossible: readonly NotPossible[];
        /** Nothing is sent afterwards; null: on a virtual clock waits cost nothing. */
        readonly atMostMinutes: number | null;
      })
    | null;
  readonly load: readonly {
    readonly plan: LoadPlan;
    readonly wouldNotRun: readonly string[];
    readonly atMostSeconds: number;
  }[];
}

interface NotPossible {
  readonly id: string;
  readonly reason: string;
}

/**
 * The plan of a run as text: the most that it sends and uses up, and the requests that would be refused. Nothing is sent but,
 * if `asks`, two requests. Rejects with a ControlPlaneError where these need a control plane that does not answer.
 */
export async function planRun(options: RunOptions, asks = false): Promise<RunPlan> {
  if (asks) await checkControl(options.manifest);
  const target = await openTarget(options, { latency: "instant", time: "virtual" });
  try {
    const isNamed = Object.values(target.manifest.models).some((id) => id !== null);
    const manifest = isNamed ? target.manifest : { ...target.manifest, models: supposedModels };
    const { name, baseUrl } = manifest.target;
    const conformance = options.stages.includes("conformance") ? planCases(options, manifest) : null;
    const plans = createLoadPlans(options.seed);
    const limits = options.stages.includes("limits") ? await planExams(options, manifest, asks) : null;
    const refusals = findLoadRefusals(options, manifest, plans);
    const load = options.profiles.map((loaded) => planProfile(loaded, manifest, plans, refusals));
    const inAll = planParts(options, manifest, limits?.exams ?? null, plans);
    const lines = [
      `target ${name} ${baseUrl}`,
      ...(isNamed ? [] : ["no models are named: a run looks for them, and this plan supposes that it finds one of each kind"]),
      ...[conformance, limits, ...load].flatMap((part) => part?.lines ?? []),
      ...(load.length > 0 ? ["every send time: --plan --json"] : []),
      ...(inAll.length > 1 ? [describeAll(inAll)] : []),
    ];
    const plan: PlannedStages = {
      target: { name, baseUrl },
      conformance: conformance?.plan ?? null,
      limits: limits?.plan ?? null,
      load: load.map((part) => part.plan),
    };
    const text = `${lines.join("\n")}\n`;
    const asksNothing = limits !== null && isCutWhole(limits.exams);
    if (refusals.length === 0) return { text, plan, exitCode: asksNothing ? exitCodes.invalid : exitCodes.met };
    return { text, plan, exitCode: refusesEverything(options, refusals) ? exitCodes.usage : exitCodes.invalid };
  } finally {
    await target.close();
  }
}

/** A stage in the plan, and the lines that say it. */
interface Part<Plan> {
  readonly plan: Plan;
  readonly lines: readonly string[];
}

function planCases(options: RunOptions, manifest: Manifest): Part<NonNullable<PlannedStages["conformance"]>> {
  const { cases, skipped, cost } = planConformance(casesOfRun(options), manifest, {
    suites: selectSuites(options),
    cases: options.cases,
    requirements: options.requirements,
  });
  const notPossible = skipped.map(({ case: one, unmet }) => ({ id: one.id, reason: `${unmet.reason}: ${unmet.text}` }));
  const atMost = conformanceBounds(cost, manifest);
  return {
    plan: { cases: cases.length, notPossible, atMost, ...cost },
    lines: [
      `conformance: ${cases.length} cases, ${cost.requests} requests, ${cost.tokens} tokens, at most ${formatCents(cost.worstCents)}, ${cost.minutes === 0 ? "no waits" : `waits of about ${formatMinutes(cost.minutes)}`} beside the time that its answers take`,
      `  whatever the target does: at most ${atMost.waitMinutes} min of waits, and ${atMost.silentSeconds} s for requests of one kind that are never answered`,
      ...describeNotPossible(notPossible, "case"),
    ],
  };
}

async function planExams(
  options: RunOptions,
  manifest: Manifest,
  asks: boolean,
): Promise<Part<NonNullable<PlannedStages["limits"]>> & { readonly exams: LimitsPlan }> {
  const isVirtual = manifest.control !== null;
  const seen = asks ? await askTarget(options, manifest) : null;
  const exams = await planLimitsStage(options, manifest, seen);
  const { requests, minutes, range, cents, supposed } = exams;
  const atMostMinutes = longestExamMinutes(exams, manifest);
  const plan = {
    atMostMinutes,
    requests,
    minutes,
    range,
    cents,
    supposed,
    exams: exams.exams.map((exam) => ({ title: exam.title, requests: exam.requests, minutes: exam.minutes })),
    notPossible: exams.notJudged.map((one) => ({ id: one.policy, reason: reasonOf(one) })),
  };
  const waits = isVirtual ? "waits pass on the virtual clock of the target" : `about ${formatMinutes(minutes)}`;
  const lines = [
    `limits, ${chooseExam(options, manifest)} exam: ${requests} requests, at most ${formatCents(cents)}, ${waits}`,
    ...(asks && !isVirtual ? [describeAsked(seen)] : []),
    ...describeRange(exams),
    ...(supposed === null ? [] : [describeSupposed(supposed)]),
    ...(atMostMinutes === null ? [] : [`  whatever the target does: at most ${atMostMinutes} min`]),
    ...plan.exams.map(
      (exam) =>
        `  ${exam.title}: ${exam.requests} requests, about ${formatMinutes(exam.minutes)}${isVirtual ? " of virtual time" : ""}`,
    ),
    ...describeNotPossible(plan.notPossible, "policy"),
    ...(isCutWhole(exams) ? ["  budget.maxMinutes leaves no time to any exam: the run would judge no limit and end with 3"] : []),
  ];
  return { plan, lines, exams };
}

/** Whether every exam is left out, and some of them for the time that they take: their rows stay in scope, and nothing judges them. */
function isCutWhole({ exams, notJudged }: LimitsPlan): boolean {
  return exams.length === 0 && notJudged.some(({ untested }) => untested === "not-observed");
}

function planProfile(
  loaded: LoadedProfile,
  manifest: Manifest,
  plans: LoadPlans,
  refusals: readonly LoadRefusal[],
): Part<PlannedStages["load"][number]> {
  const { profile } = loaded;
  const plan = plans(loaded, manifest);
  const atMostSeconds = longestSeconds(profile, manifest);
  const room = describeRoom(profile, plan);
  const wouldNotRun = describeBlockers(refusals.find((refusal) => refusal.profile === profile.id)?.blockers ?? []);
  return {
    plan: { plan, wouldNotRun, atMostSeconds },
    lines: [
      `load ${profile.id}: ${describeWorstCase(plan, manifest.budget, profile)}`,
      ...(room === null ? [] : [`  ${room}`]),
      ...wouldNotRun.map((reason) => `  would not run: ${reason}`),
      `  whatever the target does: at most ${atMostSeconds} s`,
      ...describePlan(plan).map((line) => `  ${line}`),
    ],
  };
}

async function askTarget(options: RunOptions, manifest: Manifest): Promise<SeenLimiter | null> {
  const clock = createRealClock();
  const wire = createWire({ manifest, clock, onExchange: () => undefined });
  try {
    return await seeLimiter(options, manifest, { sender: wire, clock });
  } finally {
    await wire.close();
  }
}

function describeAsked(seen: SeenLimiter | null): string {
  return seen === null
    ? "  asked: the answers do not say how the limit is counted"
    : `  asked, by two requests for the list of models: ${describeSeen(seen)}`;
}

/** The models that a run finds if nobody names any; nothing is sent to learn their names. */
const supposedModels = { chat: "found by the run", embedding: "found by the run", transcription: "found by the run" };

/** The ranges of what may be sent and spent, where the difference is one that an operator would notice. */
function describeRange({ range: { requests, minutes, cents } }: LimitsPlan): readonly string[] {
  const spans = minutes[1] === 0 ? "" : ` and ${formatMinutes(minutes[0])} to ${formatMinutes(minutes[1])}`;
  const counted = `  by how the target counts: ${requests[0]} to ${requests[1]} requests${spans} (limits.algorithm narrows it, and so does --ask)`;
  const allowed = `  by limits that are not declared: at most ${formatCents(cents[0])} to ${formatCents(cents[1])} (limits.requestsPerMinute and limits.tokensPerMinute narrow it)`;
  return [...(isWide(requests) || isWide(minutes) ? [counted] : []), ...(isWide(cents) ? [allowed] : [])];
}

function describeSupposed(limit: number): string {
  return `  by a limit of ${limit} requests per window, which is supposed: limits.requestsPerMinute declares it`;
}

function isWide([least, most]: readonly [number, number]): boolean {
  return most > 0 && most - least >= noticedShare * most;
}

const noticedShare = 0.1;

function describeAll(parts: readonly PlannedPart[]): string {
  const minutes = parts.reduce((sum, { etaMs }) => sum + (etaMs ?? 0), 0) / 60_000;
  const besides = parts.some(({ stage }) => stage === "conformance")
    ? ", beside the time that the answers to conformance take"
    : "";
  return `in all: about ${formatMinutes(minutes)}${besides}`;
}

/** One line for each reason, those that concern most first; `--json` lists every case. */
function describeNotPossible(parts: readonly NotPossible[], what: "case" | "policy"): readonly string[] {
  const several = { case: "cases", policy: "policies" }[what];
  return [...groupBy(parts, ({ reason }) => reason)]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([reason, [first, ...more]]) => {
      const subject = more.length === 0 ? first.id : `${more.length + 1} ${several}`;
      return `  not possible: ${subject} (${reason})`;
    });
}

function formatCents(cents: number): string {
  return `${(cents / 100).toFixed(2)} USD`;
}

function formatMinutes(minutes: number): string {
  if (minutes < 1) return `${Math.ceil(minutes * 60)} s`;
  return minutes < 120 ? `${minutes.toFixed(1)} min` : `${(minutes / 60).toFixed(1)} h`;
}
