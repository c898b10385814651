import type { PassiveViolation } from "../../core/result/result.ts";
import { messageOf, type MessageParts, type Violation } from "../judging/judge.ts";
import type { AnswerKind } from "./answer-kinds.ts";
import type { Tally } from "./tally.ts";

/** The accusation of a judge against an answer. */
export interface Accused {
  readonly judge: string;
  readonly requirement: string;
  readonly outcome: "fail" | "advisory";
  readonly violation: MessageParts & Pick<Violation, "field">;
}

const exchangesKept = 5;

/** Counts accusations by their kind and that of the answer; keeps a number of tallies and of examples for each. */
export class Tallies {
  readonly kept: Map<string, Tally> = new Map();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add({ judge, requirement, outcome, violation }: Accused, seq: number, answer: AnswerKind): void {
    const name = `${judge} ${requirement} ${outcome}`;
    const { kind, place, field } = violation;
    let known = answer.accused.get(name);
    if (known === undefined || known.kind !== kind || known.place !== place || known.field !== field) {
      const { stage, subject } = answer;
      const tally = this.#open([stage, subject, name, kind, place, field].join(" "), () => ({
        requirement,
        stage,
        subject,
        message: messageOf(violation),
        kind,
        outcome,
        count: 0,
        exchanges: [],
      }));
      known = { kind, place, field, tally };
      answer.accused.set(name, known);
    }
    const { tally } = known;
    if (tally === null) return;
    tally.count += 1;
    if (tally.exchanges.length < exchangesKept) tally.exchanges.push(seq);
  }

  absorb(others: ReadonlyMap<string, Readonly<Tally>>): void {
    for (const [name, theirs] of others) {
      const ours = this.#open(name, () => ({ ...theirs, count: 0, exchanges: [] }));
      if (ours === null) continue;
      ours.count += theirs.count;
      ours.exchanges.push(...theirs.exchanges.slice(0, exchangesKept - ours.exchanges.length));
    }
  }

  /** `outOf`: how many answers of a stage and a kind could have violated a requirement. */
  list(outOf: (tally: Tally) => number): readonly PassiveViolation[] {
    return [...this.kept.values()]
      .map((tally): PassiveViolation => {
        const { kind, outcome, count, exchanges, ...place } = tally;
        const inOrder = exchanges.toSorted((one, other) => one - other);
        return { ...place, kind, outcome, count, outOf: outOf(tally), exchanges: inOrder };
      })
      .toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));
  }

  /** null where there is none of this name and no room is left. */
  #open(name: string, make: () => Tally): Tally | null {
    const known = this.kept.get(name);
    if (known !== undefined || this.kept.size >= this.#most) return known ?? null;
    const tally = make();
    this.kept.set(name, tally);
    return tally;
  }
}

function sortKey({ requirement, stage, subject, message, outcome, kind }: PassiveViolation): string {
  return `${requirement} ${stage} ${subject} ${message} ${outcome} ${kind}`;
}
