import { endpoints, type EndpointId } from "../../core/exchange/endpoint.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { Case } from "../plan/case.ts";
import { type ExchangeFacts, factsOf } from "../../core/exchange/exchange-facts.ts";

/** How many requests of each kind. */
type Work = ReadonlyMap<WorkKind, number>;

interface Running {
  readonly one: Case;
  /** The requests that it still sends at most. */
  readonly left: Map<WorkKind, number>;
  /** Its last answer, or its beginning. */
  sinceMs: number;
}

interface Learnt {
  readonly count: number;
  readonly totalMs: number;
}

const nothing: Learnt = { count: 0, totalMs: 0 };

/** Share of the requests to come that may be of kinds whose time is not known yet. */
const unknownAtMost = 0.05;

/**
 * How long cases still take, learnt from the answers that came. A copy of the schedule: the requests that cases declare, each as long
 * as those of its kind that were answered, in as many slots as cases run side by side. Waits for windows are not in it: the plan
 * knows them.
 */
export class CaseForecast {
  readonly #slots: number;
  readonly #works: ReadonlyMap<string, Work>;
  readonly #waiting: Map<string, Case>;
  readonly #running = new Map<string, Running>();
  readonly #learnt = new Map<WorkKind, Learnt>();
  /** Requests under way count with the time they have taken: long answers would come to the mean last. */
  #underWay = new Map<WorkKind, number>();

  constructor(
    cases: readonly Case[],
    {
      slots,
      manifest,
      answered,
    }: { readonly slots: number; readonly manifest: Manifest; readonly answered: readonly Exchange[] },
  ) {
    this.#slots = slots;
    this.#works = new Map(cases.map((one) => [one.id, workOfCase(one, manifest)]));
    this.#waiting = new Map(cases.map((one) => [one.id, one]));
    for (const exchange of answered) this.answer(exchange);
  }

  begin(one: Case, nowMs: number): void {
    this.#waiting.delete(one.id);
    this.#running.set(one.id, { one, left: new Map(this.#workOf(one)), sinceMs: nowMs });
  }

  answer(exchange: Exchange): void {
    const kind = workOfExchange(exchange);
    const { count, totalMs } = this.#learnt.get(kind) ?? nothing;
    const { sentMs, endMs } = exchange.timing;
    this.#learnt.set(kind, { count: count + 1, totalMs: totalMs + (endMs === null ? 0 : endMs - sentMs) });
    const state = this.#running.get(exchange.caseId);
    if (state === undefined) return;
    state.left.set(kind, Math.max(0, (state.left.get(kind) ?? 0) - 1));
    state.sinceMs = endMs ?? state.sinceMs;
  }

  end(one: Case): void {
    this.#running.delete(one.id);
  }

  /** Null while too little was answered to know. */
  leftMs(nowMs: number): number | null {
    if (!this.#isKnown()) return null;
    this.#lookUnderWay(nowMs);
    const free = [...this.#running.values()].map((each) => this.#runningMs(each, nowMs));
    while (free.length < this.#slots) free.push(0);
    const resources = new Map<string, number>();
    let aloneMs = 0;
    for (const one of this.#waiting.values()) {
      const ms = this.#msOf(one, this.#workOf(one));
      if (one.alone === true) {
        aloneMs += ms;
        continue;
      }
      const slot = free.indexOf(Math.min(...free));
      const endMs = Math.max(free[slot]!, resources.get(one.resource ?? "") ?? 0) + ms;
      free[slot] = endMs;
      if (one.resource !== undefined) resources.set(one.resource, endMs);
    }
    return Math.max(...free) + aloneMs;
  }

  #workOf({ id }: Case): Work {
    return this.#works.get(id) ?? new Map<WorkKind, number>();
  }

  #isKnown(): boolean {
    let [known, unknown] = [0, 0];
    const open: readonly Work[] = [
      ...[...this.#running.values()].map(({ left }) => left),
      ...[...this.#waiting.values()].map((one) => this.#workOf(one)),
    ];
    for (const [kind, count] of open.flatMap((work) => [...work])) {
      if (this.#learnt.has(kind) || !isModelWork(kind)) known += count;
      // Few of them may take most of the time.
      else unknown += kind.answer === "long" ? count / unknownAtMost : count;
    }
    return unknown <= unknownAtMost * (known + unknown);
  }

  #eachMs(kind: WorkKind): number {
    const { count, totalMs } = this.#learnt.get(kind) ?? nothing;
    return (totalMs + (this.#underWay.get(kind) ?? 0)) / Math.max(1, count);
  }

  #lookUnderWay(nowMs: number): void {
    this.#underWay = new Map();
    const waited = new Map<WorkKind, number>();
    for (const { left, sinceMs } of this.#running.values()) {
      const [next] = [...left]
        .filter(([, count]) => count > 0)
        .map(([kind]) => kind)
        .toSorted((one, other) => this.#eachMs(other) - this.#eachMs(one));
      if (next !== undefined) waited.set(next, (waited.get(next) ?? 0) + nowMs - sinceMs);
    }
    this.#underWay = waited;
  }

  #msOf({ cost }: Case, work: Work): number {
    const atOnce: Partial<Record<string, number>> = cost.atOnce ?? {};
    let [serialMs, roundMs] = [0, 0];
    for (const [kind, count] of work) {
      const together = kind.answer === "usual" ? (atOnce[kind.operation] ?? 0) : 0;
      serialMs += Math.max(0, count - together) * this.#eachMs(kind);
      if (together > 0 && count > 0) roundMs = Math.max(roundMs, this.#eachMs(kind));
    }
    return serialMs + roundMs;
  }

  /** A request that takes longer than most is taken to have two thirds of its time behind it. */
  #runningMs({ one, left, sinceMs }: Running, nowMs: number): number {
    const spentMs = nowMs - sinceMs;
    const nextMs = Math.max(0, ...[...left].map(([kind, count]) => (count > 0 ? this.#eachMs(kind) : 0)));
    return spentMs <= nextMs ? Math.max(0, this.#msOf(one, left) - spentMs) : this.#msOf(one, left) - nextMs + spentMs / 2;
  }
}

/** The others answer from a table: what they take is nothing beside it. */
function isModelWork({ operation, answer }: WorkKind): boolean {
  return operation !== "other" && answer !== "refused" && endpoints[operation].billable;
}

/** Answers of cases that ask for no more than this are alike. */
const shortTokens = 100;

/** The kind of a request that was answered, as `workOfCase` names those to come. */
export function workOfExchange(exchange: Exchange): WorkKind {
  const operation = exchange.endpoint ?? "other";
  const { intent } = exchange;
  const isWrong = intent.kind === "violates" || (intent.kind === "housekeeping" && intent.field !== undefined);
  if (isWrong) return workKind(operation, "refused");
  return workKind(operation, operation === "chat" && !isShort(factsOf(exchange)) ? "long" : "usual");
}

function isShort({ requestObject }: ExchangeFacts): boolean {
  const asked = requestObject?.["max_tokens"];
  return typeof asked === "number" && asked >= 0 && asked <= shortTokens;
}

type Operation = EndpointId | "other";

/**
 * Requests that take about as long as each other: what a target refuses takes it no work of a model, and long is an answer of as
 * much as the model writes, or of many tokens.
 */
interface WorkKind {
  readonly operation: Operation;
  readonly answer: "usual" | "refused" | "long";
}

const kinds: readonly WorkKind[] = ([...Object.keys(endpoints), "other"] as Operation[]).flatMap((operation) =>
  (["usual", "refused", "long"] as const).map((answer) => ({ operation, answer })),
);

/** One object for each kind, which maps can have for a key. */
export function workKind(operation: Operation, answer: WorkKind["answer"]): WorkKind {
  return kinds.find((kind) => kind.operation === operation && kind.answer === answer)!;
}

/** The requests that a case sends at most, by kind. Some cases leave out what the target has no model for. */
function workOfCase({ cost }: Case, { models }: Manifest): Work {
  const without = new Set([
    ...(models.embedding === null ? ["embeddings"] : []),
    ...(models.transcription === null ? ["transcriptions"] : []),
  ]);
  const refused: Partial<Record<string, number>> = cost.refused ?? {};
  const long: Partial<Record<string, number>> = cost.long ?? {};
  const work = new Map<WorkKind, number>();
  for (const [operation, count] of Object.entries(cost.requests) as [Operation, number][]) {
    if (without.has(operation)) continue;
    const [no, much] = [refused[operation] ?? 0, long[operation] ?? 0];
    const shares = [
      ["usual", count - no - much],
      ["refused", no],
      ["long", much],
    ] as const;
    for (const [answer, share] of shares) if (share > 0) work.set(workKind(operation, answer), share);
  }
  return work;
}
