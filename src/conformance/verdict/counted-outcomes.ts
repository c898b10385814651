import type { Exchange } from "../../core/exchange/exchange.ts";
import type { ExchangeJudge, ExchangeKind, Outcomes, Violation } from "../judging/judge.ts";
import type { PathCounter } from "./requirement-counter.ts";

export interface Tally {
  readonly requirement: string;
  readonly stage: string;
  readonly subject: string;
  readonly message: string;
  /** As `Occurrence.kind`, or the message less what differs from answer to answer; absent in ledgers of older runs. */
  readonly kind?: string;
  /** `advisory`: of a lenient reading; absent in ledgers of older runs. */
  readonly outcome?: "fail" | "advisory";
  count: number;
  readonly exchanges: number[];
}

/** Subjects considered, by requirement: the denominator of `0.3 % of 429s`. */
export type Considered = Map<string, number>;

/** Exchanges of one kind and stage: what their violations are named after, and who may judge them. */
export interface AnswerKind extends ExchangeKind {
  readonly stage: Exchange["stage"];
  /** `200 chat stream` */
  readonly subject: string;
  readonly considered: Considered;
  readonly counter: PathCounter;
  readonly judges: readonly ExchangeJudge[];
  /**
   * What was accused last, by judge and requirement: a target that lacks something lacks it in each of a million answers.
   * null: there were too many kinds of violations to keep it.
   */
  readonly accused: Map<string, { readonly message: string; readonly kind: string | undefined; readonly tally: Tally | null }>;
}

export type Accused = "fail" | "advisory";
export type Words = Pick<Violation, "message" | "place" | "kind">;
export type Accuse = (
  judge: string,
  requirement: string,
  outcome: Accused,
  violation: Words,
  seq: number,
  kind: AnswerKind,
) => void;

/** Counts what is said under load: a million records of it would be kept in vain, and nobody reads what was observed. */
export class CountedOutcomes implements Outcomes {
  judge = "";
  private kind: AnswerKind | null = null;
  private seq = 0;
  private readonly accuse: Accuse;

  constructor(accuse: Accuse) {
    this.accuse = accuse;
  }

  begin(kind: AnswerKind, seq: number): void {
    this.kind = kind;
    this.seq = seq;
    kind.counter.begin();
  }

  pass(requirement: string): void {
    this.kind?.counter.count(requirement);
  }

  fail(requirement: string, violation: Violation): void {
    this.violated(requirement, "fail", violation);
  }

  advisory(requirement: string, violation: Violation): void {
    this.violated(requirement, "advisory", violation);
  }

  private violated(requirement: string, outcome: Accused, violation: Violation): void {
    this.pass(requirement);
    if (this.kind !== null) this.accuse(this.judge, requirement, outcome, violation, this.seq, this.kind);
  }

  observed(requirement: string): void {
    this.pass(requirement);
  }

  inconclusive(requirement: string): void {
    this.pass(requirement);
  }

  passOrFail(requirement: string, isMet: boolean, violation: () => Violation): void {
    if (isMet) this.pass(requirement);
    else this.fail(requirement, violation());
  }
}
