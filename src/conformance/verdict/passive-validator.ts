import type { Exchange, RecordedResponse } from "../../core/exchange/exchange.ts";
import type { PassiveSummary, PassiveViolation } from "../../core/result/result.ts";
import { describeJudgeFault } from "./describe-judge-fault.ts";
import type { ExchangeJudge, ExchangeKind, Judge, JudgeContext, Occurrence } from "../judging/judge.ts";

/** Judges every response of every stage as it passes; keeps counts and the first distinct violations. */
export interface PassiveValidator {
  /** Looks at one finished exchange. A judge that fails on it is noted, and the others go on. */
  observe(exchange: Exchange): void;
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
}

export interface Tally {
  readonly requirement: string;
  readonly stage: string;
  readonly subject: string;
  readonly message: string;
  count: number;
  readonly exchanges: number[];
}

type Glance = NonNullable<ExchangeJudge["glance"]>;

/** Subjects considered, by requirement: the denominator of `0.3 % of 429s`. */
type Considered = Map<string, number>;

/** Exchanges of one kind and stage: what their violations are named after, and who may judge them. */
interface Kind extends ExchangeKind {
  readonly stage: Exchange["stage"];
  /** `200 chat stream` */
  readonly subject: string;
  readonly considered: Considered;
  readonly seats: readonly Seat[];
}

/** A judge of one kind of exchanges. Answers at a glance are equal again and again: only their number is kept. */
interface Seat {
  readonly judge: ExchangeJudge;
  readonly glance: Glance | null;
  /** The one that came last, and how often. */
  glanced: readonly string[];
  times: number;
  /** The others. */
  readonly counts: Map<readonly string[], number>;
  /** What it accused of last, by requirement: a target that lacks something lacks it in each of a million answers. */
  readonly accused: Map<string, Accusation>;
}

interface Accusation {
  readonly message: string;
  /** null: there were too many kinds to keep it. */
  readonly tally: Tally | null;
}

const exchangesKept = 5;
const nothing: readonly string[] = [];

export function createPassiveValidator({ judges, context, violationsKept = 200 }: PassiveValidatorOptions): PassiveValidator {
  const passive = judges.filter((judge): judge is ExchangeJudge => judge.scope === "exchange");
  const tallies = new Map<string, Tally>();
  const kinds: Kind[] = [];
  const kindsByStatus = new Map<number, Kind[]>();
  /** Answers of one kind come in rows. */
  let latest: Kind | null = null;
  /** By stage and subject: kinds that differ in what was meant only are counted together. */
  const considered = new Map<string, Considered>();
  const unjudged: Unjudged[] = [];
  let [seen, judged] = [0, 0];

  const kindOf = (exchange: Exchange, response: RecordedResponse): Kind => {
    const { stage, endpoint, intent } = exchange;
    const { status } = response;
    const streamed = response.stream !== null;
    const isOf = (kind: Kind): boolean =>
      kind.status === status &&
      kind.endpoint === endpoint &&
      kind.streamed === streamed &&
      kind.intent === intent.kind &&
      kind.stage === stage;
    if (latest !== null && isOf(latest)) return latest;
    const alike = kindsByStatus.get(status);
    latest = alike?.find(isOf) ?? null;
    if (latest !== null) return latest;
    const subject = `${status} ${endpoint ?? "other"}${streamed ? " stream" : ""}`;
    const place = `${stage} ${subject}`;
    const counts = considered.get(place) ?? new Map<string, number>();
    considered.set(place, counts);
    const known: ExchangeKind = { endpoint, status, intent: intent.kind, streamed };
    const seats = passive
      .filter((judge) => judge.concerns?.(known) ?? true)
      .map((judge): Seat => ({
        judge,
        glance: judge.glance ?? null,
        glanced: nothing,
        times: 0,
        counts: new Map(),
        accused: new Map(),
      }));
    const kind = { ...known, stage, subject, considered: counts, seats };
    kinds.push(kind);
    if (alike === undefined) kindsByStatus.set(status, [kind]);
    else alike.push(kind);
    latest = kind;
    return kind;
  };

  const observe = (exchange: Exchange): void => {
    seen += 1;
    const { response } = exchange;
    if (response === null) return;
    judged += 1;
    const kind = kindOf(exchange, response);
    const { seats } = kind;
    for (let at = 0; at < seats.length; at += 1) {
      const seat = seats[at] as Seat;
      try {
        const glanced = seat.glance === null ? null : seat.glance(exchange, context);
        if (glanced === null) judgeWhole(seat, exchange, kind);
        else if (glanced === seat.glanced) seat.times += 1;
        else changeGlanced(seat, glanced);
      } catch (error) {
        const { stage, seq } = exchange;
        noteUnjudged({ judge: seat.judge.id, stage, fault: describeJudgeFault(error), count: 1, seq });
      }
    }
  };

  const noteUnjudged = (one: Unjudged): void => {
    const known = unjudged.find(({ judge, stage }) => judge === one.judge && stage === one.stage);
    if (known === undefined) unjudged.push({ ...one });
    else known.count += one.count;
  };

  const judgeWhole = (seat: Seat, exchange: Exchange, kind: Kind): void => {
    for (const occurrence of seat.judge.judge(exchange, context)) {
      count(kind.considered, occurrence.requirement, 1);
      if (occurrence.outcome === "fail" || occurrence.outcome === "advisory") accuse(seat, occurrence, exchange, kind.subject);
    }
  };

  const accuse = (seat: Seat, occurrence: Occurrence, exchange: Exchange, subject: string): void => {
    const { requirement, message = "violated" } = occurrence;
    let accusation = seat.accused.get(requirement);
    if (accusation?.message !== message) {
      accusation = { message, tally: tallyOf(seat.judge, occurrence, exchange, subject) };
      seat.accused.set(requirement, accusation);
    }
    const { tally } = accusation;
    if (tally === null) return;
    tally.count += 1;
    if (tally.exchanges.length < exchangesKept) tally.exchanges.push(exchange.seq);
  };

  /** The tally of one kind of violation, new where there is none and room is left. */
  const tallyOf = (judge: ExchangeJudge, occurrence: Occurrence, { stage }: Exchange, subject: string): Tally | null => {
    const { requirement, message = "violated" } = occurrence;
    // Values differ from response to response; the kind of violation does not.
    const key = `${requirement} ${stage} ${subject} ${judge.id} ${withoutValues(message)}`;
    const known = tallies.get(key);
    if (known !== undefined || tallies.size >= violationsKept) return known ?? null;
    const tally: Tally = { requirement, stage, subject, message, count: 0, exchanges: [] };
    tallies.set(key, tally);
    return tally;
  };

  const settleAll = (): void => {
    for (const kind of kinds) for (const seat of kind.seats) settle(seat, kind.considered);
  };

  const summary = (): PassiveSummary => {
    settleAll();
    return {
      responsesSeen: seen,
      responsesJudged: judged,
      violations: [...tallies.values()]
        .map(({ requirement, stage, subject, message, count: times, exchanges }): PassiveViolation => ({
          requirement,
          stage,
          subject,
          message,
          count: times,
          outOf: considered.get(`${stage} ${subject}`)?.get(requirement) ?? times,
          exchanges: exchanges.toSorted((one, other) => one - other),
        }))
        .toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1)),
    };
  };
  const counts = (): PassiveCounts => {
    settleAll();
    return { seen, judged, tallies, considered, unjudged };
  };

  const absorb = (other: PassiveCounts): void => {
    seen += other.seen;
    judged += other.judged;
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

/** Messages that were told before, without their values; emptied when values make too many of them. */
const plainMessages = new Map<string, string>();
const plainMessagesKept = 1000;

function withoutValues(message: string): string {
  let plain = plainMessages.get(message);
  if (plain === undefined) {
    plain = message.replaceAll(/\d+/g, "0");
    if (plainMessages.size >= plainMessagesKept) plainMessages.clear();
    plainMessages.set(message, plain);
  }
  return plain;
}

function changeGlanced(seat: Seat, glanced: readonly string[]): void {
  if (seat.times > 0) seat.counts.set(seat.glanced, (seat.counts.get(seat.glanced) ?? 0) + seat.times);
  seat.glanced = glanced;
  seat.times = 1;
}

/** Books what was seen at a glance. */
function settle(seat: Seat, considered: Considered): void {
  for (const [glanced, times] of [...seat.counts, [seat.glanced, seat.times] as const]) {
    for (const requirement of glanced) count(considered, requirement, times);
  }
  seat.counts.clear();
  seat.times = 0;
}

function count(considered: Considered, requirement: string, times: number): void {
  considered.set(requirement, (considered.get(requirement) ?? 0) + times);
}

function sortKey({ requirement, stage, subject, message }: PassiveViolation): string {
  return `${requirement} ${stage} ${subject} ${message}`;
}
