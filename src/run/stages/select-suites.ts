import { type SuiteId, suiteIds } from "../../core/result/requirement.ts";
import type { RunOptions } from "../run-options.ts";

/** Suites whose requirements are judged from the schedules of the limits stage. */
const limitSuites: ReadonlySet<SuiteId> = new Set(["limits", "spend"]);

/** The suites that a run judges: those that were asked for, else all that its stages can say something about. */
export function selectSuites({ stages, suites }: Pick<RunOptions, "stages" | "suites">): readonly SuiteId[] {
  if (suites.length > 0) return suites;
  const [conformance, limits] = [stages.includes("conformance"), stages.includes("limits")];
  return suiteIds.filter((id) => (limitSuites.has(id) ? limits : conformance));
}
