/** Verdict on a requirement, a limit check or a gate (DESIGN: vocabulary). */
export type Verdict = "pass" | "fail" | "advisory" | "observed" | "inconclusive" | "not-applicable" | "untested" | "excluded";

export const judgedVerdicts: ReadonlySet<Verdict> = new Set(["pass", "fail", "advisory", "observed"]);

/** Why a requirement is untested. All but `not-observed` put it outside the scope of the run. */
export type UntestedReason = "no-fixture" | "not-permitted" | "not-declared" | "not-observed" | "not-selected" | "waived";

/**
 * Over the rows in scope: conformant if every binding one was judged and none failed, non-conformant if any failed, incomplete if
 * one could not be judged, untested if none is in scope.
 */
export type SuiteVerdict = "conformant" | "non-conformant" | "incomplete" | "untested";

/** Exit codes that CI may rely on. */
export const exitCodes = {
  met: 0,
  findings: 1,
  usage: 2,
  invalid: 3,
  internal: 4,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
