import type { Exchange, RecordedResponse } from "../../core/exchange/exchange.ts";
import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import type { ExchangeJudge, ExchangeKind } from "../judging/judge.ts";
import { kindOf } from "./judge-exchanges.ts";
import { PathCounter } from "./requirement-counter.ts";
import type { Tally } from "./tally.ts";

/** Exchanges of one kind and stage: what their violations are named after, and who may judge them. */
export interface AnswerKind extends ExchangeKind {
  readonly stage: Exchange["stage"];
  /** `200 chat stream` */
  readonly subject: string;
  readonly considered: Considered;
  readonly counter: PathCounter;
  readonly judges: readonly ExchangeJudge[];
  /** The last accusation, by judge and requirement: a target that lacks something lacks it in each of a million answers. */
  readonly accused: Map<string, LastAccused>;
}

interface LastAccused {
  readonly kind: string;
  readonly place: string | undefined;
  readonly field: string | undefined;
  /** null: there were too many kinds of violations to keep it. */
  readonly tally: Tally | null;
}

/** Subjects considered, by requirement: the denominator of `0.3 % of 429s`. */
type Considered = Map<string, number>;

/** Sorts answers by kind, and counts the requirements that were considered on each. */
export class AnswerKinds {
  /** By stage and subject: kinds that differ in what was meant only are counted together. */
  readonly #considered = new Map<string, Considered>();
  readonly #judges: readonly ExchangeJudge[];
  readonly #byStatus = new Map<number, AnswerKind[]>();
  /** Answers of one kind come in rows. */
  #latest: AnswerKind | null = null;

  constructor(judges: readonly ExchangeJudge[]) {
    this.#judges = judges;
  }

  find(exchange: ExchangeFacts, response: RecordedResponse): AnswerKind {
    const latest = this.#latest;
    if (latest !== null && isOfKind(exchange, response, latest)) return latest;
    const alike = this.#byStatus.get(response.status) ?? [];
    let kind = alike.find((one) => isOfKind(exchange, response, one));
    if (kind === undefined) {
      kind = this.#describe(exchange, response);
      this.#byStatus.set(response.status, [...alike, kind]);
    }
    this.#latest = kind;
    return kind;
  }

  #describe(exchange: ExchangeFacts, { status, stream }: RecordedResponse): AnswerKind {
    const { stage, endpoint } = exchange;
    const known = kindOf(exchange);
    const subject = `${status} ${endpoint ?? "other"}${stream === null ? "" : " stream"}`;
    const judges = this.#judges.filter((judge) => judge.concerns?.(known) ?? true);
    const considered = this.#consideredIn(`${stage} ${subject}`);
    return { ...known, stage, subject, considered, counter: new PathCounter(), judges, accused: new Map() };
  }

  /** By stage and subject, then by requirement. */
  considered(): ReadonlyMap<string, ReadonlyMap<string, number>> {
    for (const { counter, considered } of [...this.#byStatus.values()].flat()) {
      counter.settle((requirement, times) => add(considered, requirement, times));
    }
    return this.#considered;
  }

  absorb(others: ReadonlyMap<string, ReadonlyMap<string, number>>): void {
    for (const [place, theirs] of others) {
      const ours = this.#consideredIn(place);
      for (const [requirement, times] of theirs) add(ours, requirement, times);
    }
  }

  #consideredIn(place: string): Considered {
    const considered = this.#considered.get(place) ?? new Map<string, number>();
    this.#considered.set(place, considered);
    return considered;
  }
}

function isOfKind({ endpoint, intent, stage }: ExchangeFacts, { status, stream }: RecordedResponse, kind: AnswerKind): boolean {
  return (
    kind.status === status &&
    kind.endpoint === endpoint &&
    kind.streamed === (stream !== null) &&
    kind.intent === intent.kind &&
    kind.stage === stage
  );
}

function add(considered: Considered, requirement: string, times: number): void {
  considered.set(requirement, (considered.get(requirement) ?? 0) + times);
}
