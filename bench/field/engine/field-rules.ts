import type { FieldCall, FieldEnd, FieldUsage } from "./field-call.ts";

/** One window of one counter. */
export interface FieldWindow {
  startMs: number;
  endMs: number;
  count: number;
  tokens: number;
  /** Requests that were let in, whatever they counted as. */
  asked?: number;
}

export interface FieldAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
}

/** The facts of a refusal before it is written. */
export interface FieldRefusal {
  readonly cause: "requests" | "tokens" | "slots";
  readonly waitSeconds: number;
  readonly window: FieldWindow;
  readonly nowMs: number;
}

export interface FieldEntry extends FieldUsage {
  readonly atMs: number;
  readonly streams: boolean;
}

export interface FieldBucket {
  readonly timestamp: string;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly cost_usd: number;
}

/**
 * Everything in which one server differs from another. The lawful defaults are below; a bug replaces some of them, its mend others or
 * none.
 */
export interface FieldRules {
  readonly limit: number;
  readonly tokenLimit: number;
  readonly windowMs: number;
  /** Requests of one key under way at once; null: there is no such limit. */
  readonly places: number | null;
  readonly keepsPlace: (end: FieldEnd) => boolean;
  /** The counter that a request is counted in. */
  readonly counterOf: (call: FieldCall) => string;
  /** The window that holds at this instant. */
  readonly windowAt: (known: FieldWindow | undefined, nowMs: number, windowMs: number) => FieldWindow;
  readonly admits: (window: FieldWindow, limit: number, call: FieldCall) => boolean;
  readonly admitsTokens: (window: FieldWindow, limit: number, call: FieldCall) => boolean;
  readonly weight: (call: FieldCall) => number;
  /** Turns of the event loop between reading a counter and writing it back; what others wrote meanwhile is lost. */
  readonly writeBackTurns: number;
  /** Turns between the decision and the count: all that come meanwhile are decided by the count before. */
  readonly addsLate: number;
  /** Requests that the first one of a window counts as. */
  readonly first: number;
  /** Called for a refused request, which a correct server does not count. */
  readonly refused: (window: FieldWindow, call: FieldCall, nowMs: number) => void;
  /** Requests that fail are counted from their head on, and taken off at their end: off the window that holds then, or off their own. */
  readonly countsFailed: "never" | "until-they-end" | "in-their-window";
  /** Tokens charged when the request is let in. */
  readonly chargeAtStart: (call: FieldCall, usage: FieldUsage) => number;
  /** Tokens charged when its answer has ended. */
  readonly chargeAtEnd: (call: FieldCall, usage: FieldUsage, end: FieldEnd) => number;
  readonly waitMs: (window: FieldWindow, nowMs: number, call: FieldCall) => number;
  /** An answer that stands in for all of this; null: none does. */
  readonly before: (call: FieldCall, nowMs: number) => FieldAnswer | null;
  readonly after: (call: FieldCall, answer: FieldAnswer, nowMs: number) => FieldAnswer;
  readonly limitFields: (fields: FieldAnswer["headers"], facts: FieldFacts) => FieldAnswer["headers"];
  readonly refusal: (answer: FieldAnswer, facts: FieldRefusal) => FieldAnswer;
  /** The entries of the bill for one answer. */
  readonly entries: (entry: FieldEntry, end: FieldEnd) => readonly FieldEntry[];
  /** The instants that a report covers, as it was asked. */
  readonly range: (fromMs: number, toMs: number) => readonly [fromMs: number, toMs: number];
  readonly buckets: (buckets: readonly FieldBucket[], query: URLSearchParams) => readonly FieldBucket[];
  readonly total: (tokens: number, query: URLSearchParams) => number;
  /** The usage that an answer states. */
  readonly stated: (usage: FieldUsage, call: FieldCall) => FieldUsage;
  /** The events of a stream, without the end. */
  readonly events: (events: readonly string[]) => readonly string[];
  readonly chat: (body: Readonly<Record<string, unknown>>, call: FieldCall) => Readonly<Record<string, unknown>>;
  readonly vectors: (list: readonly object[], call: FieldCall) => readonly object[];
  readonly models: (list: readonly object[]) => readonly object[];
  /** Fields of a request that are wrong. */
  readonly faults: (fields: readonly FieldFault[], call: FieldCall) => readonly FieldFault[];
  readonly problem: (answer: FieldAnswer, call: FieldCall | null) => FieldAnswer;
}

export interface FieldFacts {
  readonly window: FieldWindow;
  readonly nowMs: number;
  readonly call: FieldCall;
  readonly refused: boolean;
}

export interface FieldFault {
  readonly field: string;
  readonly expected: string;
}

const sum = ({ prompt, completion }: FieldUsage): number => prompt + completion;

/** Windows of the clock, counted for each key and operation; tokens are charged when an answer ends, as far as it was delivered. */
export const lawfulRules: FieldRules = {
  limit: 60,
  tokenLimit: 4000,
  windowMs: 60_000,
  places: null,
  keepsPlace: () => false,
  counterOf: ({ key, operation }) => `${key} ${operation}`,
  windowAt: (known, nowMs, windowMs) => {
    if (known !== undefined && nowMs < known.endMs) return known;
    const startMs = Math.floor(nowMs / windowMs) * windowMs;
    return { startMs, endMs: startMs + windowMs, count: 0, tokens: 0 };
  },
  admits: ({ count }, limit) => count < limit,
  admitsTokens: ({ tokens }, limit) => tokens < limit,
  weight: () => 1,
  writeBackTurns: 0,
  addsLate: 0,
  first: 1,
  refused: () => undefined,
  countsFailed: "never",
  chargeAtStart: () => 0,
  chargeAtEnd: (_call, usage) => sum(usage),
  waitMs: ({ endMs }, nowMs) => endMs - nowMs,
  before: () => null,
  after: (_call, answer) => answer,
  limitFields: (fields) => fields,
  refusal: (answer) => answer,
  entries: (entry) => [entry],
  range: (fromMs, toMs) => [fromMs, toMs],
  buckets: (buckets) => buckets,
  total: (tokens) => tokens,
  stated: (usage) => usage,
  events: (events) => events,
  chat: (body) => body,
  vectors: (list) => list,
  models: (list) => list,
  faults: (fields) => fields,
  problem: (answer) => answer,
};
