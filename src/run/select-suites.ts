import { allCases } from "../../suites/all-cases.ts";
import { readCatalogue } from "../schemas/read-catalogue.ts";
import { examSuites } from "../core/result/exam-suites.ts";
import { type SuiteId, suiteIds } from "../core/result/requirement.ts";
import type { RunOptions } from "./run-options.ts";

/** The suites that a run judges: those that were asked for, else all that its stages can say something about. */
export function selectSuites(options: Pick<RunOptions, "stages" | "suites" | "cases" | "requirements">): readonly SuiteId[] {
  const { stages, suites } = options;
  if (suites.length > 0) return suites;
  const rows = selectRows(options);
  if (rows !== null) {
    const named = new Set(
      readCatalogue()
        .filter(({ id }) => rows.has(id))
        .map(({ suite }) => suite),
    );
    return suiteIds.filter((id) => named.has(id));
  }
  const [conformance, limits] = [stages.includes("conformance"), stages.includes("limits")];
  return suiteIds.filter((id) => (examSuites.has(id) ? limits : conformance));
}

/** The requirements that a run is asked for by id, or by the cases that send what they are judged on; null: all of its suites. */
export function selectRows({ cases, requirements }: Pick<RunOptions, "cases" | "requirements">): ReadonlySet<string> | null {
  if (requirements.length > 0) return new Set(requirements);
  if (cases.length === 0) return null;
  return new Set(allCases.filter(({ id }) => cases.includes(id)).flatMap(({ covers }) => covers));
}
