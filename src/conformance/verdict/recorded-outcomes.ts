import type { ExchangeJudge, Outcomes, Violation } from "../judging/judge.ts";
import type { JudgedOccurrence } from "./judged-occurrence.ts";
import { signOccurrence } from "./sign-occurrence.ts";

/**
 * Outcomes of one kind that a judge may state on one answer; those after them are not kept. Lists of thousands of members that are each
 * a subject come from nobody who means well, and a run of them would fill the memory.
 */
const mostAlike = 500;

type Outcome = JudgedOccurrence["outcome"];

/** Keeps what judges say about one exchange, in the order in which they say it. */
export class RecordedOutcomes implements Outcomes {
  readonly found: JudgedOccurrence[] = [];
  readonly #exchanges: readonly number[];
  #judge: ExchangeJudge | null = null;
  /** Place in `found` where the outcomes of the present judge begin. */
  #first = 0;

  constructor(seq: number) {
    this.#exchanges = [seq];
  }

  begin(judge: ExchangeJudge): void {
    this.#judge = judge;
    this.#first = this.found.length;
  }

  pass(requirement: string): void {
    this.#keep(requirement, "pass");
  }

  fail(requirement: string, violation: Violation): void {
    this.#keep(requirement, "fail", violation);
  }

  advisory(requirement: string, violation: Violation): void {
    this.#keep(requirement, "advisory", violation);
  }

  observed(requirement: string, answer: () => string, message?: string): void {
    this.#keep(requirement, "observed", { answer: answer(), ...(message === undefined ? {} : { message }) });
  }

  inconclusive(requirement: string, message: string): void {
    this.#keep(requirement, "inconclusive", { message });
  }

  passOrFail(requirement: string, isMet: boolean, violation: () => Violation): void {
    if (isMet) this.pass(requirement);
    else this.fail(requirement, violation());
  }

  #keep(requirement: string, outcome: Outcome, words?: Partial<JudgedOccurrence>): void {
    const judge = this.#judge;
    if (judge === null || this.#isFull(outcome)) return;
    this.found.push(signOccurrence({ requirement, outcome, exchanges: this.#exchanges, ...words }, judge));
  }

  #isFull(outcome: Outcome): boolean {
    if (this.found.length - this.#first < mostAlike) return false;
    let alike = 0;
    for (let at = this.#first; at < this.found.length; at += 1) if (this.found[at]?.outcome === outcome) alike += 1;
    return alike >= mostAlike;
  }
}
