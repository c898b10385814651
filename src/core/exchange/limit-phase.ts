/**
 * What each request of an exam is for, by policy. A schedule sends with a phase of its policy, and the judge of that policy looks for
 * it: a phase that does not stand here, or that belongs to another policy, does not compile.
 */
export const limitPhases = {
  /**
   * A quiet requests, B simultaneous ones, C after a pause, D drain, E retries at once, F other keys, endpoints and spellings, G a
   * whole wait in silence, H another window, I to M several windows of the full exam, N contested last requests, O the first
   * refusal of another key, P a day later,
   * R another key that used most of its allowance, S what the remaining algorithms disagree about; `plan`: keys of other plans; `low-limit`: the conformance suite.
   */
  // prettier-ignore
  requests: [
    "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "R", "S", "F-spelling", "plan", "low-limit",
  ],
  // prettier-ignore
  tokens: [
    "reading", "press", "exhaust", "exhausted", "returned", "together", "together-after",
    "charge-prompt", "charge-answer", "charge-stream-prompt", "charge-stream-answer", "charge-embedding",
  ],
  /** A round may be held once more, at another instant of the minute: `-again`. */
  // prettier-ignore
  burst: [
    "volley", "cooldown", "after", "resume-hinted", "resume", "second", "sequential", "quiet-hinted", "quiet-after",
    "volley-again", "cooldown-again", "after-again", "resume-hinted-again", "resume-again", "second-again", "sequential-again",
    "quiet-hinted-again", "quiet-after-again", "below-1", "below-2", "other-key",
  ],
  // prettier-ignore
  spend: [
    "price", "capped", "capped-other", "capped-free", "twin", "zero", "raised", "race", "raced", "lowered", "lowered-at-once", "account",
    "cycle-before", "cycle-early", "cycle-after", "search", "usage-before", "usage-after", "usage-raise", "usage-race",
  ],
} as const;

export type LimitPolicyId = keyof typeof limitPhases;

export type LimitPhases = { readonly [Policy in LimitPolicyId]: (typeof limitPhases)[Policy][number] };

/** A policy with one of its phases. */
export type LimitPurpose = {
  readonly [Policy in LimitPolicyId]: { readonly policy: Policy; readonly phase: LimitPhases[Policy] };
}[LimitPolicyId];

export type LimitPhase = LimitPurpose["phase"];
