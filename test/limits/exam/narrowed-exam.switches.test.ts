import { describe, expect, it } from "vitest";
import { findLimitCheck, limitChecks } from "../../../src/core/result/checks/limit-checks.ts";
import { createRandom, hashString } from "../../../src/core/random.ts";
import { limitPolicies } from "../../../src/core/result/checks/limit-policies.ts";
import { type LimitsPlan, planLimits } from "../../../src/limits/exam/plan-limits.ts";
import { judgeLimits, type LimitsJudgement } from "../../../src/limits/exam/judge-limits.ts";
import { stagesOfCheck } from "../../../src/limits/exam/stages-of-check.ts";
import { allExamStages, type ExamStages } from "../../../src/limits/probe/exam-stages.ts";
import { askedChecks } from "../../../src/run/scope/asked-checks.ts";
import { selectStages } from "../../../src/run/stages/select-stages.ts";
import { readCatalogue } from "../../../src/schemas/read-catalogue.ts";
import type { Mutant } from "../../../src/reference/switches/switch.ts";
import { isWhole } from "../../make/runner/sample.ts";
import { askedOf, shareTitle, testDay } from "../../make/runner/switch-share.ts";
import { limitSwitches } from "../limit-switches.ts";
import { accountManifest } from "../simulation/lawful-accounts.ts";
import { simulatedManifest } from "../simulation/exam.ts";
import {
  examineSwitch,
  type LimitArea,
  limitAreas,
  limitRows,
  recordSwitch,
  type SwitchExam,
} from "../sockets/examine-switch.ts";

const nothing = { stages: ["limits"], suites: [], cases: [], requirements: [] } as const;
const byCheck = (id: string): ExamStages =>
  selectStages({ ...nothing, requirements: findLimitCheck(id)!.requirements, checks: [id] });
const byRow = (id: string): ExamStages => selectStages({ ...nothing, requirements: [id] });

const rows = readCatalogue().filter(({ suite }) => suite === "limits" || suite === "spend");
const questions: readonly (readonly [string, ExamStages])[] = [
  ...limitChecks.map(({ id }) => [id, byCheck(id)] as const),
  ...rows.map(({ id }) => [id, byRow(id)] as const),
];
/** Questions that need the same stages have one exam. */
const sets = [...new Map(questions.map(([id, stages]) => [[...stages].sort().join(" "), { id, stages }] as const)).values()];

/** A target of which each policy can be examined in real time. */
const spending = accountManifest("spend");
const everything = {
  ...spending,
  keys: { ...simulatedManifest(60).keys, ...accountManifest("tokens").keys, ...accountManifest("burst").keys, ...spending.keys },
  restore: { ...spending.restore, keys: { ...spending.restore.keys, ...accountManifest("burst").restore.keys } },
  limits: { ...spending.limits, requestsPerMinute: 60 },
};

describe("a plan that is narrowed to one question", () => {
  it("holds the stages that its checks need", () => {
    for (const { id } of limitChecks) expect(stagesOfCheck[id].filter((stage) => !byCheck(id).has(stage))).toEqual([]);
    for (const [id, stages] of questions)
      expect([id, [...stages].filter((stage) => !allExamStages.has(stage))]).toEqual([id, []]);
  });

  it("is no longer than the whole one, and much shorter for most", async () => {
    const whole = await planLimits(everything, "short");
    const plans: LimitsPlan[] = [];
    for (const { id, stages } of sets) {
      const plan = await planLimits(everything, "short", { stages });
      expect([id, plan.requests <= whole.requests, plan.minutes <= whole.minutes]).toEqual([id, true, true]);
      plans.push(plan);
    }
    expect(plans.filter(({ minutes }) => minutes < 0.7 * whole.minutes).length).toBeGreaterThan(sets.length / 2);
  });
});

const reports = ({ findings, occurrences }: LimitsJudgement, id: string): boolean =>
  findings.some(({ check }) => check === id) ||
  occurrences.some(({ requirement, outcome }) => requirement === id && (outcome === "fail" || outcome === "advisory"));

const asked = askedOf("narrowed exams", limitSwitches.mutants, 24);

describe(`an exam that is narrowed to one question (${shareTitle})`, () => {
  it.each(asked.map((mutant) => [mutant.id, mutant] as const))("finds %s as the whole exam does", async (_, mutant: Mutant) => {
    const { needsFullExam, seeds } = limitSwitches;
    const area = limitAreas.find((one) => one === mutant.area)!;
    const options: SwitchExam = { exam: mutant.id in needsFullExam ? "full" : "short", seed: seeds[mutant.id] ?? 1 };
    const whole = await examineSwitch(area, mutant, options);
    const found = limitRows(mutant).filter((id) => reports(whole, id));
    const missed: string[] = [];
    for (const id of found) {
      const stages = findLimitCheck(id) === undefined ? byRow(id) : byCheck(id);
      // A row of another suite is shown by conformance cases.
      if (stages.size > 0 && !reports(await examineSwitch(area, mutant, { ...options, stages }), id)) missed.push(id);
    }
    expect(missed).toEqual([]);
  });

  it.each(limitAreas)("passes the reference service, whichever of its questions about %s is asked", async (area: LimitArea) => {
    const policies = { limits: ["limits"], burst: ["burst", "queue"], spend: ["spend"], tokens: ["tokens"] }[area];
    const core = new Set<string>(Object.values(limitPolicies).flatMap((policy) => policy.core));
    const seen = new Set<string>();
    for (const { id } of limitChecks) {
      const stages = byCheck(id);
      const key = [...stages].sort().join(" ");
      if (!policies.includes(id.split(".")[0]!) || seen.has(key)) continue;
      seen.add(key);
      // One in four of them, drawn by day.
      if (!isWhole && createRandom(hashString(testDay + key)).next() > 0.25) continue;
      const record = await recordSwitch(area, null, { stages });
      const rows = new Set(findLimitCheck(id)!.requirements);
      const { findings, result } = judgeLimits({ ...record, strict: false, asked: askedChecks(rows, [id]) });
      // Neither are questions that nobody asked reasons for doubt.
      const open = result.policies.filter(({ verdict, drivenBy }) => verdict === "inconclusive" && drivenBy === "exam");
      expect([id, core.has(id) ? open.map((policy) => policy.id) : []]).toEqual([id, []]);
      expect([id, findings]).toEqual([id, []]);
      const own = result.policies.flatMap(({ checks }) => checks).filter((check) => check.id === id);
      if (core.has(id)) expect([id, own.map(({ verdict }) => verdict)]).toEqual([id, own.map(() => "pass")]);
    }
    expect(seen.size).toBeGreaterThan(1);
  });
});
