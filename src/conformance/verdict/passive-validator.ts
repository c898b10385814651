import type { Exchange } from "../../core/exchange/exchange.ts";
import type { PassiveSummary } from "../../core/result/result.ts";
import { type ExchangeFacts, factsOf } from "../../core/exchange/exchange-facts.ts";
import {
  type ExchangeJudge,
  isAccusation,
  type Judge,
  type JudgeContext,
  type Outcomes,
  type Violation,
  type WeighedViolation,
} from "../judging/judge.ts";
import { type AnswerKind, AnswerKinds } from "./answer-kinds.ts";
import { describeJudgeFault } from "./judge-fault.ts";
import type { JudgedOccurrence } from "./judged-occurrence.ts";
import { AnswerAccount } from "./answer-account.ts";
import type { OperationAccount } from "../../core/result/operation-account.ts";
import { Tallies, type Accused } from "./tallies.ts";
import type { Tally } from "./tally.ts";

type Accuse = (accused: Accused, seq: number, answer: AnswerKind) => void;

/** Counts what is said under load: a million records of it would be kept in vain, and nobody reads what was observed. */
class CountedOutcomes implements Outcomes {
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

export interface PassiveCounts {
  readonly seen: number;
  readonly judged: number;
  /** By the kind of violation. */
  readonly tallies: ReadonlyMap<string, Readonly<Tally>>;
  /** Subjects considered, by stage and subject, then by requirement. */
  readonly considered: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly unjudged: readonly Unjudged[];
  readonly account: readonly OperationAccount[];
}

/** A judge that failed on answers of one stage. */
export interface Unjudged {
  readonly judge: string;
  readonly stage: Exchange["stage"];
  /** Its first error. */
  readonly fault: string;
  count: number;
  /** Sequence number of the first. */
  readonly seq: number;
}

export interface PassiveValidatorOptions {
  readonly judges: readonly Judge[];
  readonly context: JudgeContext;
  /** Distinct violations that are kept in full; further ones of the same kind are counted. */
  readonly violationsKept?: number;
  /** Called for every judge that finds a requirement violated by an answer that is judged here. */
  readonly onAccused?: (seq: number, judge: string, requirement: string) => void;
}

/**
 * The verdicts of judges on single answers: it judges those of load as they pass, and counts those of others that exist
 * already. Keeps counts and the first distinct violations.
 */
export class PassiveValidator {
  readonly #context: JudgeContext;
  readonly #kinds: AnswerKinds;
  readonly #tallies: Tallies;
  readonly #outcomes: CountedOutcomes;
  readonly #unjudged: Unjudged[] = [];
  readonly #account = new AnswerAccount();
  #seen = 0;
  #judged = 0;

  constructor({ judges, context, violationsKept = 200, onAccused }: PassiveValidatorOptions) {
    const tallies = new Tallies(violationsKept);
    this.#context = context;
    this.#kinds = new AnswerKinds(judges.filter((judge) => judge.scope === "exchange"));
    this.#tallies = tallies;
    this.#outcomes = new CountedOutcomes((accused, seq, kind) => {
      tallies.add(accused, seq, kind);
      onAccused?.(seq, accused.judge, accused.requirement);
    });
  }

  /**
   * Looks at one finished exchange, or counts what was said about it already. A judge that fails on it is noted, and the others
   * go on.
   */
  observe(exchange: Exchange, said?: readonly JudgedOccurrence[]): void {
    this.#seen += 1;
    const facts = factsOf(exchange);
    this.#account.add(facts);
    const { response, seq } = exchange;
    if (response === null) return;
    this.#judged += 1;
    const kind = this.#kinds.find(facts, response);
    if (said === undefined) this.#judge(facts, kind);
    else this.#take(said, seq, kind);
  }

  #judge(facts: ExchangeFacts, kind: AnswerKind): void {
    const outcomes = this.#outcomes;
    outcomes.begin(kind, facts.seq);
    for (let at = 0; at < kind.judges.length; at += 1) {
      const judge = kind.judges[at] as ExchangeJudge;
      outcomes.judge = judge.id;
      try {
        judge.judge(facts, outcomes, this.#context);
      } catch (error) {
        this.#note({ judge: judge.id, stage: kind.stage, fault: describeJudgeFault(error), count: 1, seq: facts.seq });
      }
    }
  }

  #take(said: readonly JudgedOccurrence[], seq: number, kind: AnswerKind): void {
    kind.counter.begin();
    const failed = new Map<string, string>();
    for (const occurrence of said) {
      const { judge, requirement, fault } = occurrence;
      if (fault !== undefined) failed.set(judge, fault);
      // It was not considered.
      else if (occurrence.unread !== true) {
        kind.counter.count(requirement);
        if (!isAccusation(occurrence)) continue;
        this.#tallies.add({ judge, requirement, outcome: occurrence.outcome, violation: occurrence }, seq, kind);
      }
    }
    for (const [judge, fault] of failed) this.#note({ judge, stage: kind.stage, fault, count: 1, seq });
  }

  #note(one: Unjudged): void {
    const known = this.#unjudged.find(({ judge, stage }) => judge === one.judge && stage === one.stage);
    if (known === undefined) this.#unjudged.push({ ...one });
    else known.count += one.count;
  }

  summary(): PassiveSummary {
    const considered = this.#kinds.considered();
    return {
      responsesSeen: this.#seen,
      responsesJudged: this.#judged,
      account: this.#account.list(),
      violations: this.#tallies.list(
        ({ stage, subject, requirement, count }) => considered.get(`${stage} ${subject}`)?.get(requirement) ?? count,
      ),
    };
  }

  /** Judges that failed on answers, which they say nothing about. */
  unjudged(): readonly Unjudged[] {
    return this.#unjudged;
  }

  /** The counts so far as plain data, for the validator of another thread. */
  counts(): PassiveCounts {
    return {
      seen: this.#seen,
      judged: this.#judged,
      tallies: this.#tallies.kept,
      considered: this.#kinds.considered(),
      unjudged: this.#unjudged,
      account: this.#account.list(),
    };
  }

  /** Adds what the validator of another thread saw. */
  absorb({ seen, judged, tallies, considered, unjudged, account }: PassiveCounts): void {
    this.#account.absorb(account);
    this.#seen += seen;
    this.#judged += judged;
    for (const one of unjudged) this.#note(one);
    this.#kinds.absorb(considered);
    this.#tallies.absorb(tallies);
  }
}
