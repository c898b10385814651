import { describe, expect, it } from "vitest";
import { groupBy } from "../../../src/core/group-by.ts";
import { limitChecks } from "../../../src/core/result/checks/limit-checks.ts";
import { createRandom, hashString } from "../../../src/core/random.ts";
import { type LimitsPlan, planLimits } from "../../../src/limits/exam/plan-limits.ts";
import type { LimitsJudgement } from "../../../src/limits/exam/judge-limits.ts";
import { stagesOfCheck } from "../../../src/limits/exam/stages-of-check.ts";
import { allExamStages, type ExamStages } from "../../../src/limits/probe/exam-stages.ts";
import { selectStages } from "../../../src/run/stages/select-stages.ts";
import { readCatalogue } from "../../../src/schemas/read-catalogue.ts";
import type { Mutant } from "../../../src/reference/switches/switch.ts";
import { isWhole } from "../../make/runner/sample.ts";
import { askedOf, drawByArea, share, shareTitle, testDay } from "../../make/runner/switch-share.ts";
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
import { askFor, judgeNarrowed } from "../sockets/judge-narrowed.ts";

const stagesFor = (id: string): ExamStages => selectStages(askFor(id));

const rows = readCatalogue().filter(({ suite }) => suite === "limits" || suite === "spend");
const questions: readonly (readonly [string, ExamStages])[] = [
  ...limitChecks.map(({ id }) => [id, stagesFor(id)] as const),
  ...rows.map(({ id }) => [id, stagesFor(id)] as const),
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
    for (const { id } of limitChecks) expect(stagesOfCheck[id].filter((stage) => !stagesFor(id).has(stage))).toEqual([]);
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

const drawn = askedOf("narrowed exams", limitSwitches.mutants, 24);
/** CI asks an eighth of the others a day; `npm run test:all` asks all. */
const asked = share === "rest" ? [...drawByArea(`narrowed exams of CI/${testDay}`, drawn, 8)] : drawn;

/** The schedules of the keys that an area has. */
const policiesOf: Readonly<Record<LimitArea, readonly string[]>> = {
  limits: ["requests"],
  burst: ["burst"],
  spend: ["spend"],
  tokens: ["tokens"],
};

describe(`an exam that is narrowed to one question (${shareTitle})`, () => {
  it.each(asked.map((mutant) => [mutant.id, mutant] as const))("finds %s as the whole exam does", async (_, mutant: Mutant) => {
    const { needsFullExam, seeds } = limitSwitches;
    const area = limitAreas.find((one) => one === mutant.area)!;
    const options: SwitchExam = { exam: mutant.id in needsFullExam ? "full" : "short", seed: seeds[mutant.id] ?? 1 };
    const whole = await examineSwitch(area, mutant, options);
    const found = limitRows(mutant).filter((id) => reports(whole, id));
    const missed: string[] = [];
    for (const id of found) {
      const stages = stagesFor(id);
      // A row of another suite is shown by conformance cases.
      if (stages.size > 0 && !reports(await examineSwitch(area, mutant, { ...options, stages }), id)) missed.push(id);
    }
    expect(missed).toEqual([]);
  });

  it.each(limitAreas)("passes the reference service, whichever of its questions about %s is asked", async (area: LimitArea) => {
    const ofSet = groupBy(
      questions.filter(([, stages]) => [...stages].some((stage) => policiesOf[area].includes(stage.split(".")[0]!))),
      ([, stages]) => [...stages].sort().join(" "),
    );
    const exams = [...ofSet.values()].flatMap((asking) => (["hand", "blind"] as const).map((time) => ({ asking, time })));
    const random = createRandom(hashString(`narrowed exams/${area}/${testDay}`));
    const ranked = exams.map((exam) => ({ exam, rank: random.next() })).toSorted((one, other) => one.rank - other.rank);
    // One in eight of them, drawn by day.
    for (const { exam } of isWhole ? ranked : ranked.slice(0, Math.ceil(ranked.length / 8))) {
      const record = await recordSwitch(area, null, { stages: exam.asking[0][1], time: exam.time });
      for (const [id] of exam.asking) {
        const { conformance, exitCode, findings, reason, scope } = judgeNarrowed(id, record);
        expect([exam.time, id, findings, exitCode, reason]).toEqual([
          exam.time,
          id,
          [],
          0,
          expect.stringMatching(/^(conformant in scope|limits correct)/),
        ]);
        const own = conformance!.requirements.filter((row) => askFor(id).requirements.includes(row.id));
        // Of a row that nothing could break, or that a conformance case shows, only the policies of its kind are judged.
        const isShown = own.some(
          ({ verdict, untested, inPassing }) =>
            !["excluded", "not-applicable"].includes(verdict) && untested !== "not-selected" && inPassing !== true,
        );
        expect([exam.time, id, scope!.judged > 0]).toEqual([exam.time, id, isShown]);
      }
    }
  });
});
