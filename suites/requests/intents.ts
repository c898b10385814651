import type { Violation } from "../../src/conformance/judging/subjects.ts";
import type { Intent, ViolatedCondition } from "../../src/core/exchange/intent.ts";

/** A request that breaks one rule on purpose; `twin` labels the one beside it that breaks none. */
export function violates(
  requirement: string,
  condition: ViolatedCondition,
  { twin = "twin", ...members }: Partial<Pick<Violation, "field" | "fields" | "twin">> = {},
): Intent {
  return { kind: "violates", requirement, condition, ...members, twin };
}

/** A request about which the specification says nothing. */
export function question(requirement: string, text: string): Intent {
  return { kind: "probe-unspecified", requirement, question: text };
}
