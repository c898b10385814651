/** Verdict on a requirement, a limit check or a gate (DESIGN: vocabulary). */
export type Verdict = "pass" | "fail" | "advisory" | "observed" | "inconclusive" | "untested" | "excluded";

export type UntestedReason = "no-fixture" | "not-permitted" | "not-declared" | "not-observed" | "not-selected";

/** A suite is conformant only if every checkable MUST passed, non-conformant if any failed, else incomplete. */
export type SuiteVerdict = "conformant" | "non-conformant" | "incomplete";

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
