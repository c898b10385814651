import type { Exchange, RecordedResponse } from "../../core/exchange/exchange.ts";
import type { PassiveSummary, PassiveViolation } from "../../core/result/result.ts";
import { type ExchangeFacts, factsOf } from "../../core/exchange/exchange-facts.ts";
import type { ExchangeJudge, Judge, JudgeContext } from "../judging/judge.ts";
import {
  type Accuse,
  type Accused,
  type AnswerKind,
  type Considered,
  CountedOutcomes,
  type Tally,
  type Words,
} from "./counted-outcomes.ts";
import { PathCounter } from "./requirement-counter.ts";
import { describeJudgeFault } from "./describe-judge-fault.ts";
import { kindOf } from "./judge-exchanges.ts";
import type { JudgedOccurrence } from "./judged-occurrence.ts";
import { violationKind } from "./violation-kind.ts";

/** Judges every response of every stage as it passes; keeps counts and the first distinct violations. */
export interface PassiveValidator {
  /**
   * Looks at one finished exchange, or counts what was said about it already. A judge that fails on it is noted, and the others
   * go on.
   */
  observe(exchange: Exchange, said?: readonly JudgedOccurrence[]): void;
  summary(): PassiveSummary;
  /** Judges that failed on answers, which they say nothing about. */
  unjudged(): readonly Unjudged[];
  /** What was seen so far as plain data, for the validator of another thread. */
  counts(): PassiveCounts;
  /** Adds what the validator of another thread saw. */
  absorb(counts: PassiveCounts): void;
}

export interface PassiveCounts {
  readonly seen: number;
  readonly judged: number;
  /** By the kind of violation. */
  readonly tallies: ReadonlyMap<string, Readonly<Tally>>;
  /** Subjects considered, by stage and subject, then by requirement. */
  readonly considered: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly unjudged: readonly Unjudged[];
}

/** A judge that failed on answers of one stage. */
export interface Unjudged {
  readonly judge: string;
  readonly stage: Exchange["stage"];
  /** What it failed with first. */
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

const exchangesKept = 5;

export function createPassiveValidator(options: PassiveValidatorOptions): PassiveValidator {
  const { judges, context, violationsKept = 200, onAccused } = options;
  const passive = judges.filter((judge) => judge.scope === "exchange");
  const tallies = new Map<string, Tally>();
  const kinds = new Map<number, AnswerKind[]>();
  /** Answers of one kind come in rows. */
  let latest: AnswerKind | null = null;
  /** By stage and subject: kinds that differ in what was meant only are counted together. */
  const considered = new Map<string, Considered>();
  const unjudged: Unjudged[] = [];
  let [seen, answered] = [0, 0];

  const kindOfAnswer = (exchange: ExchangeFacts, response: RecordedResponse): AnswerKind => {
    const { stage, endpoint, intent } = exchange;
    const { status } = response;
    const streamed = response.stream !== null;
    const isOf = (kind: AnswerKind): boolean =>
      kind.status === status &&
      kind.endpoint === endpoint &&
      kind.streamed === streamed &&
      kind.intent === intent.kind &&
      kind.stage === stage;
    if (latest !== null && isOf(latest)) return latest;
    const alike = kinds.get(status) ?? [];
    latest = alike.find(isOf) ?? null;
    if (latest !== null) return latest;
    const known = kindOf(exchange);
    const subject = `${status} ${endpoint ?? "other"}${streamed ? " stream" : ""}`;
    const place = `${stage} ${subject}`;
    const counts = considered.get(place) ?? new Map<string, number>();
    considered.set(place, counts);
    const concerned = passive.filter((judge) => judge.concerns?.(known) ?? true);
    latest = { ...known, stage, subject, considered: counts, counter: new PathCounter(), judges: concerned, accused: new Map() };
    kinds.set(status, [...alike, latest]);
    return latest;
  };

  const accuse: Accuse = (judge, requirement, outcome, violation, seq, kind) => {
    const place = `${judge} ${requirement} ${outcome}`;
    let known = kind.accused.get(place);
    if (known?.message !== violation.message || known.kind !== violation.kind) {
      const { message, kind: code } = violation;
      known = { message, kind: code, tally: tallyOf(judge, requirement, outcome, violation, kind) };
      kind.accused.set(place, known);
    }
    const { tally } = known;
    if (tally === null) return;
    tally.count += 1;
    if (tally.exchanges.length < exchangesKept) tally.exchanges.push(seq);
  };

  /** The tally of one kind of violation, new where there is none and room is left. */
  const tallyOf = (
    judge: string,
    requirement: string,
    outcome: Accused,
    violation: Words,
    { stage, subject }: AnswerKind,
  ): Tally | null => {
    const { message } = violation;
    // Values differ from response to response; the kind of violation does not.
    const kind = violationKind(violation);
    const key = `${requirement} ${stage} ${subject} ${judge} ${outcome} ${kind} ${message.replaceAll(/\d+/g, "0")}`;
    const known = tallies.get(key);
    if (known !== undefined || tallies.size >= violationsKept) return known ?? null;
    const tally: Tally = { requirement, stage, subject, message, kind, outcome, count: 0, exchanges: [] };
    tallies.set(key, tally);
    return tally;
  };

  const counted = new CountedOutcomes(
    onAccused === undefined
      ? accuse
      : (judge, requirement, outcome, violation, seq, kind) => {
          accuse(judge, requirement, outcome, violation, seq, kind);
          onAccused(seq, judge, requirement);
        },
  );
  const countAnswer = (facts: ExchangeFacts, kind: AnswerKind): void => {
    counted.begin(kind, facts.seq);
    for (let at = 0; at < kind.judges.length; at += 1) {
      const judge = kind.judges[at] as ExchangeJudge;
      counted.judge = judge.id;
      try {
        judge.judge(facts, counted, context);
      } catch (error) {
        noteUnjudged({ judge: judge.id, stage: kind.stage, fault: describeJudgeFault(error), count: 1, seq: facts.seq });
      }
    }
  };

  const noteUnjudged = (one: Unjudged): void => {
    const known = unjudged.find(({ judge, stage }) => judge === one.judge && stage === one.stage);
    if (known === undefined) unjudged.push({ ...one });
    else known.count += one.count;
  };

  const countOccurrence = (occurrence: JudgedOccurrence, seq: number, kind: AnswerKind): void => {
    const { judge, requirement, outcome, message = "violated" } = occurrence;
    kind.counter.count(requirement);
    if (outcome === "fail" || outcome === "advisory") {
      accuse(judge, requirement, outcome, { ...occurrence, message }, seq, kind);
    }
  };

  const observe = (exchange: Exchange, said?: readonly JudgedOccurrence[]): void => {
    seen += 1;
    const { response, seq } = exchange;
    if (response === null) return;
    answered += 1;
    const facts = factsOf(exchange);
    const kind = kindOfAnswer(facts, response);
    if (said === undefined) {
      countAnswer(facts, kind);
      return;
    }
    kind.counter.begin();
    const failed = new Map<string, string>();
    for (const occurrence of said) {
      if (occurrence.fault === undefined) countOccurrence(occurrence, seq, kind);
      else failed.set(occurrence.judge, occurrence.fault);
    }
    for (const [judge, fault] of failed) noteUnjudged({ judge, stage: kind.stage, fault, count: 1, seq });
  };
  const settle = (): void => {
    for (const alike of kinds.values()) {
      for (const { counter, considered: counts } of alike)
        counter.settle((requirement, times) => count(counts, requirement, times));
    }
  };

  const summary = (): PassiveSummary => {
    settle();
    return {
      responsesSeen: seen,
      responsesJudged: answered,
      violations: [...tallies.values()]
        .map(({ requirement, stage, subject, message, kind, outcome, count: times, exchanges }): PassiveViolation => ({
          requirement,
          stage,
          subject,
          message,
          kind: kind ?? violationKind({ message }),
          outcome: outcome ?? "fail",
          count: times,
          outOf: considered.get(`${stage} ${subject}`)?.get(requirement) ?? times,
          exchanges: exchanges.toSorted((one, other) => one - other),
        }))
        .toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1)),
    };
  };
  const counts = (): PassiveCounts => {
    settle();
    return { seen, judged: answered, tallies, considered, unjudged };
  };

  const absorb = (other: PassiveCounts): void => {
    seen += other.seen;
    answered += other.judged;
    for (const one of other.unjudged) noteUnjudged(one);
    for (const [place, theirs] of other.considered) {
      const ours = considered.get(place) ?? new Map<string, number>();
      considered.set(place, ours);
      for (const [requirement, times] of theirs) count(ours, requirement, times);
    }
    for (const [key, theirs] of other.tallies) {
      const known = tallies.get(key);
      if (known !== undefined) {
        known.count += theirs.count;
        known.exchanges.push(...theirs.exchanges.slice(0, exchangesKept - known.exchanges.length));
      } else if (tallies.size < violationsKept) tallies.set(key, { ...theirs, exchanges: [...theirs.exchanges] });
    }
  };
  return { observe, summary, unjudged: () => unjudged, counts, absorb };
}

function count(considered: Considered, requirement: string, times: number): void {
  considered.set(requirement, (considered.get(requirement) ?? 0) + times);
}

function sortKey({ requirement, stage, subject, message, outcome, kind }: PassiveViolation): string {
  return `${requirement} ${stage} ${subject} ${message} ${outcome} ${kind}`;
}
