import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf, type ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import { describeJudgeFault } from "./judge-fault.ts";
import { StrayJudgeFault } from "../judging/harness-fault.ts";
import {
  type ExchangeJudge,
  type ExchangeKind,
  isAccusation,
  type Judge,
  type JudgeContext,
  type RunJudge,
  type Occurrence,
  type Outcomes,
  type Violation,
  type WeighedViolation,
} from "../judging/judge.ts";
import { weightOf } from "../judging/subjects.ts";
import { type JudgedOccurrence, signOccurrence } from "./judged-occurrence.ts";
import { passOrFail } from "../judging/pass-or-fail.ts";

/**
 * Outcomes of one kind that a judge may state on one answer; those after them are not kept. Lists of thousands of members that are each
 * a subject come from nobody who means well, and a run of them would fill the memory.
 */
const mostAlike = 500;

type Outcome = JudgedOccurrence["outcome"];

/** Keeps what judges say about one exchange, in the order in which they say it. */
class RecordedOutcomes implements Outcomes {
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

/** The statements of the judges of single exchanges, by sequence number. */
export type JudgedExchanges = ReadonlyMap<number, readonly JudgedOccurrence[]>;

/**
 * Lets the judges of single exchanges look at each; those that are in `known` are not judged again. Judges are pure, and what
 * they read of the manifest does not change in a run, so what was said while sending holds at the end.
 */
export function judgeEach(
  exchanges: readonly Exchange[],
  judges: readonly Judge[],
  context: JudgeContext,
  known: JudgedExchanges = new Map(),
): JudgedExchanges {
  const ofExchanges = judges.filter((judge) => judge.scope === "exchange");
  return new Map(
    exchanges.map((exchange) => [
      exchange.seq,
      known.get(exchange.seq) ?? judgeExchange(factsOf(exchange), ofExchanges, context),
    ]),
  );
}

/**
 * Lets every judge look at the record. Judges are pure, so the order of exchanges and judges changes nothing but the order. One
 * that fails on an exchange leaves its requirements inconclusive there, and the others go on: no answer may end a run.
 */
export function judgeExchanges(
  exchanges: readonly Exchange[],
  judges: readonly Judge[],
  context: JudgeContext,
  judged: JudgedExchanges = judgeEach(exchanges, judges, context),
): readonly JudgedOccurrence[] {
  const ordered = exchanges.toSorted((one, other) => one.seq - other.seq).map(factsOf);
  const ofRun = judges.filter((judge) => judge.scope === "run");
  return [
    ...ordered.flatMap(({ seq }) => judged.get(seq) ?? []),
    ...ofRun.flatMap((judge) => judgeRecord(judge, ordered, context)),
  ];
}

function judgeRecord(judge: RunJudge, exchanges: readonly ExchangeFacts[], context: JudgeContext): readonly JudgedOccurrence[] {
  const found: JudgedOccurrence[] = [];
  for (const exchange of exchanges) exchange.takeMissed();
  try {
    for (const occurrence of judge.judge(exchanges, context)) found.push(signOccurrence(occurrence, judge));
  } catch (error) {
    found.push(...leaveOpen(judge, [], error));
  }
  const missed = exchanges.filter((exchange) => exchange.takeMissed() && isOwnWord(exchange));
  const [first] = missed;
  if (first === undefined) return found;
  const seqs = new Set(missed.map(({ seq }) => seq));
  const said = found.map((one) => (seqs.has(one.exchanges[0] ?? 0) ? followUnread(one) : one));
  return [...said, ...sayUnread(judge, first, said, missed.length - 1)];
}

/** The statements of judges of single exchanges about one. */
export function judgeExchange(
  exchange: ExchangeFacts,
  judges: readonly ExchangeJudge[],
  context: JudgeContext,
): readonly JudgedOccurrence[] {
  const kind = kindOf(exchange);
  const outcomes = new RecordedOutcomes(exchange.seq);
  for (const judge of judges) {
    if (judge.concerns?.(kind) === false) continue;
    outcomes.begin(judge);
    exchange.takeMissed();
    const before = outcomes.found.length;
    try {
      judge.judge(exchange, outcomes, context);
    } catch (error) {
      outcomes.found.push(...leaveOpen(judge, [exchange.seq], error));
    }
    if (!exchange.takeMissed() || !isOwnWord(exchange)) continue;
    const said = outcomes.found.splice(before).map(followUnread);
    outcomes.found.push(...said, ...sayUnread(judge, exchange, said));
  }
  return outcomes.found;
}

/** The status of an answer can be read whatever its body is. */
function followUnread(occurrence: JudgedOccurrence): JudgedOccurrence {
  return isAccusation(occurrence) && occurrence.aspect !== "status" ? { ...occurrence, followsUnread: true } : occurrence;
}

/** A page of a gateway in front of the service was to be no JSON: nobody misses what could be in it. */
function isOwnWord(exchange: ExchangeFacts): boolean {
  return weightOf(exchange) === "fail";
}

/**
 * A judge that asked for content which cannot be read, and said nothing, has not looked: the requirements on which it is silent must not
 * read as if there had been nothing to see.
 */
function sayUnread(
  judge: Judge,
  { seq, obstacle }: ExchangeFacts,
  said: readonly JudgedOccurrence[],
  more = 0,
): readonly JudgedOccurrence[] {
  const decided = new Set(said.map(({ requirement }) => requirement));
  const others = more === 0 ? "" : ` (and ${more} more)`;
  const message = `the answer #${seq}${others} could not be read: ${obstacle?.words ?? ""}`;
  return [...new Set(judge.covers)]
    .filter((requirement) => !decided.has(requirement))
    .map((requirement) => ({
      requirement,
      outcome: "inconclusive",
      exchanges: [seq],
      message,
      unread: true,
      judge: judge.id,
      conclusive: false,
    }));
}

export function kindOf({ endpoint, status, intent, response }: ExchangeFacts): ExchangeKind {
  return { endpoint, status: status ?? 0, intent: intent.kind, streamed: response?.stream != null };
}

function leaveOpen(judge: Judge, exchanges: readonly number[], error: unknown): readonly JudgedOccurrence[] {
  // Wrong whatever a target sends. Any other fault of a judge, our tables included, is said of its own requirements only.
  if (error instanceof StrayJudgeFault) throw error;
  const fault = describeJudgeFault(error);
  const place = exchanges[0] === undefined ? "this run" : `#${exchanges[0]}`;
  return [...new Set(judge.covers)].map((requirement) => ({
    requirement,
    outcome: "inconclusive",
    exchanges,
    message: `the judge ${judge.id} failed on ${place}: ${fault}`,
    judge: judge.id,
    conclusive: false,
    fault,
  }));
}
