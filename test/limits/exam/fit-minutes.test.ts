import { expect, it } from "vitest";
import type { Manifest } from "../../../src/core/manifest.ts";
import { type LimitsPlan, planLimits } from "../../../src/limits/exam/plan-limits.ts";
import type { ExamDepth } from "../../../src/limits/probe/probe-tools.ts";
import { simulatedManifest } from "../simulation/exam.ts";

async function plan(exam: ExamDepth, maxMinutes: number | null, changes: Partial<Manifest> = {}): Promise<LimitsPlan> {
  const manifest = { ...simulatedManifest(60), control: null, ...changes };
  return planLimits({ ...manifest, budget: { ...manifest.budget, maxMinutes } }, exam);
}

const namesOf = ({ notJudged }: LimitsPlan): readonly string[] =>
  notJudged.flatMap(({ policy, text }) => (text.includes("budget.maxMinutes") ? [policy] : []));

it.each([5, 1, 0.1])("no plan takes longer than %s minutes, and what it leaves out is named", async (most) => {
  const fitted = await plan("full", most);
  expect(fitted.range.minutes[1]).toBeLessThanOrEqual(most);
  expect(namesOf(fitted)).toEqual([most > 0.1 ? "requests, shortened" : "requests"]);
  expect(fitted.exams.length > 0).toBe(most > 0.1);
});

it("leaves out no more than it has to", async () => {
  const { notJudged } = await plan("full", 11);
  expect(notJudged.find(({ policy }) => policy === "requests, shortened")?.text).toMatch(
    /^the whole exam takes up to \d+(\.\d+)? min, and budget\.maxMinutes leaves 11 min to the exams: without phases of several windows$/,
  );
});

it("the time of the other stages is not that of the exams", async () => {
  const manifest = { ...simulatedManifest(60), control: null };
  const tight = { ...manifest, budget: { ...manifest.budget, maxMinutes: 4 } };
  const alone = await planLimits(tight, "short");
  const beside = await planLimits(tight, "short", { minutesElsewhere: 2 });
  expect([namesOf(alone), namesOf(beside)]).toEqual([[], ["requests, shortened"]]);
  expect(beside.range.minutes[1]).toBeLessThanOrEqual(2);
});

it("windows of an hour do not fit into the two hours of a run that sets no bound", async () => {
  const fitted = await plan("short", null, { features: { windowSeconds: 3600 } });
  expect(fitted.range.minutes[1]).toBeLessThanOrEqual(120);
  expect(namesOf(fitted)).toEqual(["requests, shortened"]);
});
