import { describe, expect, it } from "vitest";
import type { LimitsJudgement } from "../../src/limits/exam/judge-limits.ts";
import type { ExamDepth } from "../../src/limits/exam/probe-tools.ts";
import type { Mutant, Switch, Variant } from "../../src/reference/switches/switch.ts";
import { allSwitches } from "../../src/reference/switches/all-switches.ts";
import { isWhole } from "../make/runner/sample.ts";
import { packVariants } from "../make/pack-variants.ts";
import { examineSwitch, limitAreas, limitRows, type LimitArea } from "./sockets/examine-switch.ts";

const areaOf = (one: Switch): LimitArea | null => limitAreas.find((area) => area === one.area) ?? null;
const variants = allSwitches.filter((one): one is Variant => one.kind === "variant" && areaOf(one) !== null);
const mutants = allSwitches.filter(
  (one): one is Mutant => one.kind === "mutant" && areaOf(one) !== null && limitRows(one).length > 0,
);

/** Mutants that only the full exam finds, each with the reason. */
const needsFullExam: Readonly<Record<string, string>> = {
  "limits/daily-window-key": "shows a day later",
};

/** Mutants that the short exam states as advice, and the full one as a failure. */
const failsInFullExam: Readonly<Record<string, string>> = {
  "limits/fail-closed": "one request in twenty: whether it hits one that came alone is chance in a short exam",
};

/** Mutants that stay advice in both exams, because the specification does not forbid what they do or leaves its reading open. */
const staysAdvice: Readonly<Record<string, string>> = {
  "limits/retry-after-window": "waiting longer than needed breaks no promise (RATE-023)",
  "burst/extended-by-attempts": "whether attempts prolong a cooldown is a SHOULD (BURST-017)",
  "burst/retry-after-constant": "the whole cooldown as the wait is advice (AMB-16)",
  "burst/mixed-preference": "queued and refused within one cooldown is advice (AMB-15)",
  "spend/zero-is-unlimited": "what a cap of zero means is not stated (AMB-19)",
};

const depthOf = ({ id }: Switch): ExamDepth => (id in needsFullExam || id in failsInFullExam ? "full" : "short");

/** Every variant: alone in `npm run test:all`, else with others that it does not contradict in one service. */
const lawful = limitAreas.flatMap((area) => {
  const own = variants.filter((one) => one.area === area);
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

describe("limits exams over sockets", () => {
  it("know every mutant that is listed as an exception", () => {
    const ids = new Set(mutants.map(({ id }) => id));
    const listed = [needsFullExam, failsInFullExam, staysAdvice].flatMap((list) => Object.keys(list));
    expect(listed.filter((id) => !ids.has(id))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
    const elsewhere = allSwitches.filter(
      (one) => one.kind === "mutant" && one.needs?.includes("stage:limits") && !ids.has(one.id),
    );
    expect(elsewhere).toEqual([]);
    expect(mutants.length).toBeGreaterThanOrEqual(60);
    expect(variants.length).toBeGreaterThanOrEqual(20);
    expect(listed.length).toBeLessThan(mutants.length / 8);
  });

  // One exam each: the clock is moved by hand and begins where it always does, so that nothing is left to chance.
  it.each(mutants.map((mutant) => [mutant.id, mutant] as const))("find %s by what it declares", async (id, mutant) => {
    const judgement = await examineSwitch(areaOf(mutant)!, mutant, { exam: depthOf(mutant) });
    const reported = foundBy(judgement);
    expect([id, limitRows(mutant).filter((row) => reported.has(row))]).not.toEqual([id, []]);
    expect([id, fails(judgement)]).toEqual([id, !(id in staysAdvice)]);
  });

  it.each(Object.keys(needsFullExam))("leave %s to the full exam", async (id) => {
    const mutant = mutants.find((one) => one.id === id)!;
    const { findings } = await examineSwitch(areaOf(mutant)!, mutant);
    expect(findings).toEqual([]);
  });

  it.each(lawful)("do not accuse %s: %j", async (area, ids) => {
    const { findings, result } = await examineSwitch(area, null, { variants: ids });
    expect(findings.filter(({ verdict, check }) => verdict === "fail" || check === "limits.algorithm")).toEqual([]);
    expect(result.policies.filter(({ verdict }) => verdict === "pass" || verdict === "advisory")).not.toEqual([]);
  });
});
