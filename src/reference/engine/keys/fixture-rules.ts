import type { Plan } from "./key-record.ts";

/** What the keys are born with. */
export interface FixtureRules {
  /** Of keys for which no other is stated. */
  readonly plan: () => Plan;
}

export const lawfulFixtureRules: FixtureRules = { plan: () => "pro" };
