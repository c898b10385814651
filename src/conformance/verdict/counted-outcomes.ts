import type { Outcomes, Violation, WeighedViolation } from "../judging/judge.ts";
import type { AnswerKind } from "./answer-kinds.ts";
import type { Accused } from "./tallies.ts";

export type Accuse = (accused: Accused, seq: number, answer: AnswerKind) => void;

/** Counts what is said under load: a million records of it would be kept in vain, and nobody reads what was observed. */
export class CountedOutcomes implements Outcomes {
  judge = "";
  private answer: AnswerKind | null = null;
  private seq = 0;
  private readonly accuse: Accuse;

  constructor(accuse: Accuse) {
    this.accuse = accuse;
  }

  begin(answer: AnswerKind, seq: number): void {
    this.answer = answer;
    this.seq = seq;
    answer.counter.begin();
  }

  pass(requirement: string): void {
    this.answer?.counter.count(requirement);
  }

  fail(requirement: string, violation: Violation): void {
    this.violated(requirement, "fail", violation);
  }

  advisory(requirement: string, violation: Violation): void {
    this.violated(requirement, "advisory", violation);
  }

  private violated(requirement: string, outcome: Accused["outcome"], violation: Violation): void {
    this.pass(requirement);
    if (this.answer !== null) this.accuse({ judge: this.judge, requirement, outcome, violation }, this.seq, this.answer);
  }

  observed(requirement: string): void {
    this.pass(requirement);
  }

  inconclusive(requirement: string): void {
    this.pass(requirement);
  }

  passOrFail(requirement: string, isMet: boolean, violation: () => WeighedViolation): void {
    if (isMet) this.pass(requirement);
    else {
      const { outcome = "fail", ...words } = violation();
      this.violated(requirement, outcome, words);
    }
  }
}
