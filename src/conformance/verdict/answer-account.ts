import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import type { JsonProblem } from "../../core/exchange/bodies/recorded-json.ts";
import type { AccountEntry, OperationAccount } from "../../core/result/operation-account.ts";
import { weightOf } from "../judging/subjects.ts";

interface Counts {
  readonly stage: OperationAccount["stage"];
  readonly operation: string;
  sent: number;
  judged: number;
  readonly unreadable: Map<string, number>;
  readonly excused: Map<string, number>;
}

const unreadableWords: Readonly<Record<Exclude<JsonProblem, "truncated" | "no-body">, string>> = {
  empty: "the body is empty",
  "not-utf8": "not UTF-8",
  malformed: "not JSON",
  "beyond-bounds": "JSON beyond what parsers bear",
  coding: "not in the coding that it names",
  "unknown-coding": "in a coding that was not asked for",
};

/** Keeps the account of what was sent: nothing drops out without a name. */
export class AnswerAccount {
  readonly #operations = new Map<string, Counts>();

  add(exchange: ExchangeFacts): void {
    // Requests that the budget held back did not leave; the verdict names them.
    if (exchange.failure?.kind === "budget") return;
    const counts = this.#open(exchange.stage, exchange.endpoint ?? "other");
    counts.sent += 1;
    const [kind, reason] = placeOf(exchange);
    if (kind === "judged") counts.judged += 1;
    else count(counts[kind], reason, 1);
  }

  absorb(others: readonly OperationAccount[]): void {
    for (const { stage, operation, sent, judged, unreadable, excused } of others) {
      const counts = this.#open(stage, operation);
      counts.sent += sent;
      counts.judged += judged;
      for (const one of unreadable) count(counts.unreadable, one.reason, one.count);
      for (const one of excused) count(counts.excused, one.reason, one.count);
    }
  }

  list(): readonly OperationAccount[] {
    return [...this.#operations]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([, counts]) => ({ ...counts, unreadable: entriesOf(counts.unreadable), excused: entriesOf(counts.excused) }));
  }

  #open(stage: Counts["stage"], operation: string): Counts {
    const name = `${stage} ${operation}`;
    let counts = this.#operations.get(name);
    if (counts === undefined) {
      counts = { stage, operation, sent: 0, judged: 0, unreadable: new Map(), excused: new Map() };
      this.#operations.set(name, counts);
    }
    return counts;
  }
}

const judged = ["judged", ""] as const;

function placeOf(exchange: ExchangeFacts): readonly ["judged" | "unreadable" | "excused", string] {
  const { response, failure, obstacle } = exchange;
  if (response === null) return ["excused", `no answer (${failure?.kind ?? "none"})`];
  if (failure !== null) return ["unreadable", `cut (${failure.kind})`];
  if (response.body === null && response.stream === null) return ["excused", "bodies are not kept"];
  // A fetched picture and its like: what it has to be is no JSON.
  if (obstacle === null || exchange.request.path.startsWith("http")) return judged;
  if (obstacle.cause === "truncated")
    return ["excused", response.body?.unread?.cause === "room" ? "no room left" : "too long to be kept"];
  const words = unreadableWords[obstacle.cause as keyof typeof unreadableWords] ?? obstacle.cause;
  return weightOf(exchange) === "fail"
    ? ["unreadable", words]
    : ["excused", `${words}, on a path or by a gateway that no row describes`];
}

function count(counts: Map<string, number>, reason: string, more: number): void {
  counts.set(reason, (counts.get(reason) ?? 0) + more);
}

function entriesOf(counts: ReadonlyMap<string, number>): readonly AccountEntry[] {
  return [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([reason, times]) => ({ reason, count: times }));
}
