import { describe, expect, it } from "vitest";
import type { LimitsJudgement } from "../../src/limits/exam/judge-limits.ts";
import type { ExamDepth } from "../../src/limits/probe/probe-tools.ts";
import type { Mutant, Switch } from "../../src/reference/switches/switch.ts";
import { isWhole } from "../make/runner/sample.ts";
import { askedOf, shareTitle } from "../make/runner/switch-share.ts";
import { packVariants } from "../make/pack-variants.ts";
import { examineSwitch, limitAreas, type LimitArea, limitRows } from "./sockets/examine-switch.ts";
import { limitSwitches } from "./limit-switches.ts";

const { mutants, variants, needsFullExam, seeds, staysAdvice } = limitSwitches;
const areaOf = ({ area }: Switch): LimitArea => limitAreas.find((one) => one === area)!;

/** Of each area: one in so many is asked in `npm test`. */
const oneIn = 12;
const asked = askedOf("limit exams", mutants, oneIn);
const askedVariants = askedOf("limit exams", variants, oneIn);

const depthOf = ({ id }: Switch): ExamDepth => (id in needsFullExam ? "full" : "short");

/** Every variant: alone in `npm run test:all`, else with others that it does not contradict in one service. */
const lawful = limitAreas.flatMap((area) => {
  const own = askedVariants.filter((one) => one.area === area);
  const services = isWhole ? own.map((one) => [one]) : packVariants(own);
  return services.map((service) => [area, service.map(({ id }) => id)] as const);
});

/** Checks with a finding, and rows that fail or are advised. */
function foundBy({ findings, occurrences }: LimitsJudgement): ReadonlySet<string> {
  const rows = occurrences.filter(({ outcome }) => outcome === "fail" || outcome === "advisory");
  return new Set([...findings.map(({ check }) => check), ...rows.map(({ requirement }) => requirement)]);
}

function fails({ findings, occurrences }: LimitsJudgement): boolean {
  return findings.some(({ verdict }) => verdict === "fail") || occurrences.some(({ outcome }) => outcome === "fail");
}

describe(`limits exams over sockets (${shareTitle})`, () => {
  // One exam each: the clock is moved by hand and begins where it always does, so that nothing is left to chance.
  it.each(asked.map((mutant) => [mutant.id, mutant] as const))("find %s by what it declares", async (id, mutant) => {
    const judgement = await examineSwitch(areaOf(mutant), mutant, { exam: depthOf(mutant), seed: seeds[id] ?? 1 });
    const reported = foundBy(judgement);
    expect([id, limitRows(mutant).filter((row) => reported.has(row))]).not.toEqual([id, []]);
    expect([id, fails(judgement)]).toEqual([id, !(id in staysAdvice)]);
  });

  const ofFullExam = asked.filter(({ id }) => id in needsFullExam);
  it.each(ofFullExam.map((mutant) => [mutant.id, mutant] as const))("leave %s to the full exam", async (_, mutant: Mutant) => {
    const { findings } = await examineSwitch(areaOf(mutant), mutant);
    expect(findings).toEqual([]);
  });

  it.each(lawful)("do not accuse %s: %j", async (area, ids) => {
    const { findings, result } = await examineSwitch(area, null, { variants: ids });
    expect(findings.filter(({ verdict, check }) => verdict === "fail" || check === "limits.algorithm")).toEqual([]);
    expect(result.policies.filter(({ verdict }) => verdict === "pass" || verdict === "advisory")).not.toEqual([]);
  });
});
