import { expect, it } from "vitest";
import type { Manifest } from "../../../src/core/manifest.ts";
import type { LimitPolicyId } from "../../../src/core/exchange/limit-phase.ts";
import { fitMinutes } from "../../../src/limits/exam/fit-minutes.ts";
import {
  allExamStages,
  type ExamStage,
  type ExamStages,
  stagesOfPolicy,
  withEarlierStages,
} from "../../../src/limits/probe/exam-stages.ts";
import type { NotJudged } from "../../../src/limits/probe/not-judged.ts";
import { type LimitsPlan, planLimits } from "../../../src/limits/exam/plan-limits.ts";
import type { ExamDepth } from "../../../src/limits/probe/probe-tools.ts";
import { simulatedManifest } from "../simulation/exam.ts";
import { accountManifest, queueManifest } from "../simulation/lawful-accounts.ts";

async function plan(exam: ExamDepth, maxMinutes: number | null, changes: Partial<Manifest> = {}): Promise<LimitsPlan> {
  const manifest = { ...simulatedManifest(60), control: null, ...changes };
  return planLimits({ ...manifest, budget: { ...manifest.budget, maxMinutes } }, exam);
}

const namesOf = ({ notJudged }: LimitsPlan): readonly string[] =>
  notJudged.flatMap(({ policy, text }) => (text.includes("budget.maxMinutes") ? [policy] : []));

it.each([5, 1, 0.1])("no plan is expected to take longer than %s minutes, and what it leaves out is named", async (most) => {
  const fitted = await plan("full", most);
  expect(fitted.minutes).toBeLessThanOrEqual(most);
  expect(namesOf(fitted)).toEqual([most > 0.1 ? "requests, shortened" : "requests"]);
  expect(fitted.exams.length > 0).toBe(most > 0.1);
});

it("leaves out no more than it has to", async () => {
  const { notJudged } = await plan("full", 11);
  expect(notJudged.find(({ policy }) => policy === "requests, shortened")?.text).toMatch(
    /^budget\.maxMinutes leaves 11 min to the exams, and all of them take about \d+(\.\d+)? min: without phases of several windows$/,
  );
});

it("leaves out nothing that is expected to fit, though the worst way to count would take longer", async () => {
  const whole = await plan("short", null);
  const fitted = await plan("short", whole.minutes);
  expect(whole.range.minutes[1]).toBeGreaterThan(whole.minutes);
  expect([namesOf(fitted), fitted.exams.length]).toEqual([[], whole.exams.length]);
});

/** Exams one after the other, each as long as its stages. */
const planOf =
  (minutes: Partial<Record<ExamStage, number>>) =>
  async (
    stages: ExamStages,
  ): Promise<{ groups: { policy: LimitPolicyId; minutes: number }[][]; minutes: number; notJudged: NotJudged[] }> => {
    const exams = (["requests", "tokens", "burst", "spend"] as const).map((policy) => ({
      policy,
      minutes: stagesOfPolicy(policy).reduce((sum, stage) => sum + (stages.has(stage) ? (minutes[stage] ?? 0) : 0), 0),
      planned: stagesOfPolicy(policy).some((stage) => stages.has(stage) && minutes[stage] !== undefined),
    }));
    const groups = exams.filter(({ planned }) => planned).map((exam) => [exam]);
    return { groups, minutes: exams.reduce((sum, exam) => sum + exam.minutes, 0), notJudged: [] };
  };

it("leaves out no exam whole while others can be shortened, and then the one whose absence suffices", async () => {
  const each = (policy: LimitPolicyId, minutes: number): Partial<Record<ExamStage, number>> =>
    Object.fromEntries(stagesOfPolicy(policy).map((stage) => [stage, minutes]));
  const durations = {
    ...each("requests", 1),
    ...each("tokens", 0.4),
    ...each("spend", 1.3),
    "spend.price": 0.1,
    "burst.volley": 3.5,
    "burst.one-by-one": 2.5,
  };
  const { groups, notJudged } = await fitMinutes(planOf(durations), allExamStages, 6);
  expect(groups.flat().map(({ policy, minutes }) => [policy, Math.round(10 * minutes) / 10])).toEqual([
    ["requests", 1],
    ["burst", 3.5],
    ["spend", 1.4],
  ]);
  const whole = notJudged.find(({ policy }) => policy === "tokens");
  expect(whole).toMatchObject({
    untested: "not-observed",
    text: expect.stringMatching(
      /^budget\.maxMinutes leaves 6 min to the exams, and all of them take about \d+(\.\d+)? min$/,
    ) as unknown,
  });
});

it("has an exam that was left out after all where a longer one that cannot fit gave way later", async () => {
  const durations = { "requests.look": 7, "burst.volley": 2, "burst.one-by-one": 1, "spend.price": 0.1, "spend.capped": 1.3 };
  const { groups, notJudged } = await fitMinutes(planOf(durations), allExamStages, 6);
  expect(groups.flat().map(({ policy }) => policy)).toEqual(["burst", "spend"]);
  expect(groups.flat()[0]?.minutes).toBe(3);
  expect(notJudged.map(({ policy }) => policy)).toContain("requests");
});

it("asks for no set of stages of which a part is known to take too long", async () => {
  const asked: ExamStages[] = [];
  const durations = planOf({
    "requests.look": 1,
    "requests.drain": 9,
    "requests.return": 3,
    "requests.again": 3,
    "requests.long": 9,
  });
  const wanted = new Set(stagesOfPolicy("requests"));
  const { notJudged } = await fitMinutes(
    async (stages) => {
      asked.push(stages);
      return durations(stages);
    },
    wanted,
    2,
  );
  expect(notJudged.map(({ policy }) => policy)).toEqual(["requests, shortened"]);
  const cut = asked.findIndex((stages) => !stages.has("requests.drain"));
  expect(asked.slice(cut).filter((stages) => stages.has("requests.drain"))).toHaveLength(1);
});

it("no schedule depends on stages that it does not name", async () => {
  const [tokens, burst, spend] = [accountManifest("tokens"), queueManifest(), accountManifest("spend")];
  const keys = { ...simulatedManifest(60).keys, ...tokens.keys, ...burst.keys, ...spend.keys };
  const restore = { ...spend.restore, keys: { ...burst.restore.keys, ...spend.restore.keys } };
  const manifest = { ...spend, keys, restore, budget: { ...spend.budget, maxMinutes: 1e6 } };
  const figuresOf = async (stages: ExamStages): Promise<ReadonlyMap<string, unknown>> => {
    const { exams } = await planLimits(manifest, "full", { stages });
    return new Map(
      exams.map((exam) => [
        [exam.policy, exam.title, exam.key, ...exam.stages].join(" "),
        [exam.requests, exam.minutes, exam.phases, exam.cents, exam.purchases, exam.range],
      ]),
    );
  };
  const whole = await figuresOf(allExamStages);
  for (const left of ["requests.endpoints", "burst.queue", "tokens.look", "spend.price"] as const) {
    const rest = await figuresOf(new Set([...allExamStages].filter((stage) => !withEarlierStages([stage]).has(left))));
    const same = [...rest].filter(([name]) => whole.has(name));
    expect(same).toHaveLength(5);
    for (const [name, figures] of same) expect([name, figures]).toEqual([name, whole.get(name)]);
  }
});

it("buys nothing where nothing is asked of it", async () => {
  const durations = { "spend.price": 0.1, "spend.capped": 1.3 };
  const { groups, notJudged } = await fitMinutes(planOf(durations), new Set(stagesOfPolicy("spend")), 1);
  expect(groups).toEqual([]);
  expect(notJudged.map(({ policy, untested }) => [policy, untested])).toEqual([["spend caps", "not-observed"]]);
});

it("can be interrupted", async () => {
  const controller = new AbortController();
  setImmediate(() => controller.abort());
  const manifest = { ...simulatedManifest(60), control: null };
  await expect(planLimits(manifest, "full", { signal: controller.signal })).rejects.toThrow("aborted");
});

it("the time of the stages before is not that of the exams", async () => {
  const manifest = { ...simulatedManifest(60), control: null };
  const tight = { ...manifest, budget: { ...manifest.budget, maxMinutes: 4 } };
  const alone = await planLimits(tight, "short");
  const beside = await planLimits(tight, "short", { minutesBefore: 2 });
  expect([namesOf(alone), namesOf(beside)]).toEqual([[], ["requests, shortened"]]);
  expect(beside.minutes).toBeLessThanOrEqual(2);
});

it("windows of an hour do not fit into the two hours of a run that sets no bound", async () => {
  const fitted = await plan("full", null, { features: { windowSeconds: 3600 } });
  expect(fitted.minutes).toBeLessThanOrEqual(120);
  expect(namesOf(fitted)).toEqual(["requests, shortened"]);
});
