import type { Check } from "./check.ts";
import type { Occurrence } from "../../core/result/occurrence.ts";

/** Name under which the answers of limit checks reach the requirements. */
export const limitJudge = "limit-checks";

/** Rows of suite core: judged passively on every response by the conformance judges, never twice. */
const coreRows: ReadonlySet<string> = new Set(["RATE-007", "RATE-008", "RATE-010", "RATE-012"]);

/**
 * Turns checks into verdicts on the requirements that they rest on; only the suites limits and spend. A check that does not apply to the
 * target says nothing: other answers decide its rows, or their condition did not arise.
 */
export function checkOccurrences(checks: readonly Check[]): readonly Occurrence[] {
  const applicable = checks.filter(({ verdict }) => verdict !== "not-applicable");
  return applicable.flatMap((check) =>
    check.requirements.filter((requirement) => !coreRows.has(requirement)).map((requirement) => occurrenceOf(check, requirement)),
  );
}

function occurrenceOf(check: Check, requirement: string): Occurrence {
  const exchanges = check.exchanges.slice(0, 12);
  if (check.verdict === "pass") return { requirement, outcome: "pass", exchanges };
  const outcome = check.verdict === "fail" || check.verdict === "advisory" ? check.verdict : "inconclusive";
  return {
    requirement,
    outcome,
    exchanges,
    kind: check.id,
    message: check.message,
    expected: check.expected,
    observed: check.observed,
  };
}

/** The fault in the values that a request shows. */
export interface Fault {
  /** Absent: `fail`. */
  readonly outcome?: "fail" | "advisory" | "inconclusive";
  readonly message: string;
  readonly expected: string;
  readonly observed: string;
}

/**
 * The occurrence of a requirement that one request decides by itself; `fault` null: nothing is wrong. Each of these
 * requirements is violated in one way, so that its id says of what kind that is.
 */
export function row(requirement: string, { seq }: { readonly seq: number }, fault: Fault | null): Occurrence {
  const exchanges = [seq];
  return fault === null
    ? { requirement, outcome: "pass", exchanges }
    : { requirement, outcome: "fail", exchanges, kind: requirement, ...fault };
}
