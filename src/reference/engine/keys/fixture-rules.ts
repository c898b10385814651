import type { Plan } from "./key-record.ts";

/** The state that the keys of fixtures begin with. */
export interface FixtureRules {
  /** Plan of keys for which no other is stated. */
  readonly plan: () => Plan;
}

export const lawfulFixtureRules: FixtureRules = { plan: () => "pro" };
