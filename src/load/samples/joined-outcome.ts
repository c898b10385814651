import type { OutcomeClass } from "../../core/result/load-outcome.ts";

/** The class whose distributions hold the figures that came of a record: a request that we ended ourselves was neither refused nor wrong. */
export function joinedOutcome(outcome: OutcomeClass): OutcomeClass {
  return outcome === "interrupted" || outcome === "timed-out" ? "ok" : outcome;
}
