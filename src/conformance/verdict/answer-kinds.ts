import type { Exchange, RecordedResponse } from "../../core/exchange/exchange.ts";
import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import type { ExchangeJudge, ExchangeKind } from "../judging/judge.ts";
import { kindOf } from "./judge-exchanges.ts";
import type { Tally } from "./tally.ts";

/** How often each requirement was considered; equal sequences of requirements cost a comparison for each. */
interface RequirementCounter {
  /** Before the first requirement of each exchange. */
  begin(): void;
  count(requirement: string): void;
  /** Hands over what was counted since the last call. */
  settle(add: (requirement: string, times: number) => void): void;
}

/** A requirement after those before it. Answers of one kind lead along the same path again and again. */
class Step {
  times = 0;
  /** The step that was taken last from here. */
  latest: Step | null = null;
  readonly next: Map<string, Step> = new Map();
  readonly requirement: string;

  constructor(requirement: string) {
    this.requirement = requirement;
  }
}

/** A hostile target makes up as many paths as it likes; what is beyond them is counted at its last step. */
const stepsKept = 5000;

class PathCounter implements RequirementCounter {
  private readonly start = new Step("");
  private at: Step = this.start;
  private steps = 0;
  private readonly beyond = new Map<string, number>();

  begin(): void {
    this.at = this.start;
  }

  count(requirement: string): void {
    const { latest } = this.at;
    if (latest !== null && latest.requirement === requirement) {
      latest.times += 1;
      this.at = latest;
    } else this.turn(requirement);
  }

  settle(add: (requirement: string, times: number) => void): void {
    for (const [requirement, times] of this.beyond) add(requirement, times);
    this.beyond.clear();
    const open = [...this.start.next.values()];
    for (let step = open.pop(); step !== undefined; step = open.pop()) {
      if (step.times > 0) add(step.requirement, step.times);
      step.times = 0;
      open.push(...step.next.values());
    }
  }

  private turn(requirement: string): void {
    let step = this.at.next.get(requirement);
    if (step === undefined) {
      if (this.steps >= stepsKept) {
        this.beyond.set(requirement, (this.beyond.get(requirement) ?? 0) + 1);
        return;
      }
      step = new Step(requirement);
      this.steps += 1;
      this.at.next.set(requirement, step);
    }
    step.times += 1;
    this.at.latest = step;
    this.at = step;
  }
}

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
