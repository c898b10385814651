import type { ExchangeJudge, Occurrence, Outcomes, Violation, WeighedViolation } from "../judging/judge.ts";
import { passOrFail } from "../judging/pass-or-fail.ts";
import { type JudgedOccurrence, signOccurrence } from "./judged-occurrence.ts";

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
    this.#keep({ requirement, outcome: "pass", exchanges: this.#exchanges });
  }

  fail(requirement: string, violation: Violation): void {
    this.#keep({ requirement, outcome: "fail", exchanges: this.#exchanges, ...violation });
  }

  advisory(requirement: string, violation: Violation): void {
    this.#keep({ requirement, outcome: "advisory", exchanges: this.#exchanges, ...violation });
  }

  observed(requirement: string, answer: () => string, message?: string): void {
    const words = { answer: answer(), ...(message === undefined ? {} : { message }) };
    this.#keep({ requirement, outcome: "observed", exchanges: this.#exchanges, ...words });
  }

  inconclusive(requirement: string, message: string): void {
    this.#keep({ requirement, outcome: "inconclusive", exchanges: this.#exchanges, message });
  }

  passOrFail(requirement: string, isMet: boolean, violation: () => WeighedViolation): void {
    this.#keep(passOrFail({ requirement, exchanges: this.#exchanges }, isMet, violation));
  }

  #keep(occurrence: Occurrence): void {
    const judge = this.#judge;
    if (judge === null || this.#isFull(occurrence.outcome)) return;
    this.found.push(signOccurrence(occurrence, judge));
  }

  #isFull(outcome: Outcome): boolean {
    if (this.found.length - this.#first < mostAlike) return false;
    let alike = 0;
    for (let at = this.#first; at < this.found.length; at += 1) if (this.found[at]?.outcome === outcome) alike += 1;
    return alike >= mostAlike;
  }
}
