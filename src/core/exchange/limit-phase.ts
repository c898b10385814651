/** A round of the burst exam may be held once more, at another instant of the minute. */
type Repeated<Phase extends string> = Phase | `${Phase}-again`;

/**
 * What each request of an exam is for. A schedule sends with a phase of its policy, and the judge of that policy looks for it: a
 * phase that no schedule sends, or that belongs to another policy, does not compile.
 */
export interface LimitPhases {
  /**
   * A quiet requests, B simultaneous ones, C after a pause, D drain, E retries at once, F other keys, endpoints and spellings, G a
   * whole wait in silence, H another window, I to M several windows of the full exam, N contested last requests, O the first
   * refusal of another key, P a day later,
   * R another key that used most of its allowance, S what the remaining algorithms disagree about; `plan`: keys of other plans; `low-limit`: the conformance suite.
   */
  readonly requests:
    | ("A" | "B" | "C" | "D" | "E" | "F" | "G" | "H" | "I" | "J" | "K" | "L" | "M" | "N" | "O" | "P" | "R" | "S")
    | ("F-spelling" | "plan" | "low-limit");
  readonly tokens:
    | ("reading" | "press" | "exhaust" | "exhausted" | "returned" | "together" | "together-after")
    | `charge-${"prompt" | "answer" | "stream-prompt" | "stream-answer" | "embedding"}`;
  readonly burst:
    | Repeated<
        "volley" | "cooldown" | "after" | "resume-hinted" | "resume" | "second" | "sequential" | "quiet-hinted" | "quiet-after"
      >
    | ("below-1" | "below-2" | "other-key");
  readonly spend:
    | ("price" | "capped" | "capped-other" | "capped-free" | "twin" | "zero" | "raised" | "race" | "raced")
    | ("lowered" | "lowered-at-once" | "account" | "cycle-before" | "cycle-early" | "cycle-after" | "search")
    | `usage-${"before" | "after" | "raise" | "race"}`;
}

export type LimitPolicyId = keyof LimitPhases;

/** A policy with one of its phases. */
export type LimitPurpose = {
  readonly [Policy in LimitPolicyId]: { readonly policy: Policy; readonly phase: LimitPhases[Policy] };
}[LimitPolicyId];

export type LimitPhase = LimitPurpose["phase"];
