import { limitChecks } from "../../core/result/checks/limit-checks.ts";
import { type ExamPartName, examParts } from "../../core/result/checks/limit-policies.ts";
import type { LimitPolicyId } from "../../core/exchange/limit-phase.ts";
import type { Requirement } from "../../core/result/requirement.ts";
import { stagesOfCheck } from "../../limits/exam/stages-of-check.ts";
import { type ExamStage, type ExamStages, stagesOfPolicy, withEarlierStages } from "../../limits/probe/exam-stages.ts";
import { readCatalogue } from "../../schemas/read-catalogue.ts";
import type { RunOptions } from "../run-options.ts";
import { selectRows, selectSuites } from "../select-suites.ts";

/** The stages of exams that show a requirement or a check that a run is asked for: what nobody asked about is not driven. */
export function selectStages(options: Pick<RunOptions, "stages" | "suites" | "cases" | "requirements" | "checks">): ExamStages {
  const suites = selectSuites(options);
  const rows = selectRows(options);
  const checks = new Set(options.checks);
  const asked = readCatalogue().filter(({ id, suite }) => suites.includes(suite) && (rows === null || rows.has(id)));
  const stages = asked.filter(({ suite }) => suite === "limits" || suite === "spend");
  // A whole suite is asked about by whole exams.
  if (rows === null) return new Set(stages.flatMap(policiesOf).flatMap(stagesOfPolicy));
  // A check may decide rows of other suites only, as those that conformance cases show as well.
  const named = limitChecks.filter(({ id }) => checks.has(id)).flatMap(({ id }) => stagesOfCheck[id]);
  return withEarlierStages([...named, ...stages.flatMap((row) => stagesOf(row, checks))]);
}

/** `named`: checks that were asked for by their ids, which then answer for the rows that they decide. */
function stagesOf(row: Requirement, named: ReadonlySet<string>): readonly ExamStage[] {
  const checks = limitChecks.filter(({ requirements }) => requirements.includes(row.id));
  const chosen = checks.filter(({ id }) => named.has(id));
  const decided = (chosen.length > 0 ? chosen : checks).flatMap(({ id }) => stagesOfCheck[id]);
  const single = chosen.length > 0 ? [] : (ofSingleAnswers[row.id] ?? []);
  return decided.length + single.length > 0 ? [...decided, ...single] : policiesOf(row).flatMap(stagesOfPolicy);
}

/** Rows that single refusals decide, beside the checks or alone. */
const ofSingleAnswers: Readonly<Record<string, readonly ExamStage[]>> = {
  "RATE-033": ["requests.drain", "requests.endpoints"],
  "SPEND-015": ["requests.drain", "burst.volley"],
};

function policiesOf(row: Requirement): readonly LimitPolicyId[] {
  const checks = limitChecks.filter(({ requirements }) => requirements.includes(row.id));
  if (checks.length > 0) return checks.map(({ policy }) => (policy === "queue" ? "burst" : policy));
  const part = parts.find(([name]) => examParts[name].rows(row));
  return part === undefined ? [] : [part[1]];
}

/** Rows that no check decides, by the part of the exam that shows them. */
const parts: readonly (readonly [ExamPartName, LimitPolicyId])[] = [
  ["spend caps", "spend"],
  ["burst", "burst"],
  ["tokens", "tokens"],
  ["requests", "requests"],
];
