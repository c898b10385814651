import { limitChecks } from "../../core/result/checks/limit-checks.ts";
import { type ExamPartName, examParts } from "../../core/result/checks/limit-policies.ts";
import type { LimitPolicyId } from "../../core/exchange/limit-phase.ts";
import type { Requirement } from "../../core/result/requirement.ts";
import { readCatalogue } from "../../schemas/read-catalogue.ts";
import type { RunOptions } from "../run-options.ts";
import { selectRows, selectSuites } from "../select-suites.ts";

/** The policies whose exams show a requirement that a run is asked for: what nobody asked about is not driven. */
export function selectPolicies(
  options: Pick<RunOptions, "stages" | "suites" | "cases" | "requirements">,
): ReadonlySet<LimitPolicyId> {
  const suites = selectSuites(options);
  const rows = selectRows(options);
  const asked = readCatalogue().filter(({ id, suite }) => suites.includes(suite) && (rows === null || rows.has(id)));
  return new Set(asked.flatMap(policiesOf));
}

function policiesOf(row: Requirement): readonly LimitPolicyId[] {
  if (row.suite !== "limits" && row.suite !== "spend") return [];
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
