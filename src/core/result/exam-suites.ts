import type { SuiteId } from "./requirement.ts";

/** Suites whose requirements are judged from the schedules of the limits stage. */
export const examSuites: ReadonlySet<SuiteId> = new Set(["limits", "spend"]);
