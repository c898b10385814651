import type { Consumption, Work } from "./admission.ts";

/** How many tokens of a request count against the token limit. */
export interface TokenRules {
  /** Tokens to hold at admission. */
  readonly toHold: (work: Work) => number;
  /** Tokens that stay counted once the outcome is known. */
  readonly toCharge: (work: Work, outcome: Consumption, heldTokens: number) => number;
}

/** The most that a request can use is held; what it used is charged, and nothing where it failed. */
export const lawfulTokenRules: TokenRules = {
  toHold: (work) => work.promptTokens + work.maxCompletionTokens,
  toCharge: (_work, outcome) => (outcome.ended === "failed" ? 0 : outcome.promptTokens + outcome.completionTokens),
};
