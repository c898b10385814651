import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Intent } from "../../core/exchange/intent.ts";
import type { RedactedManifest } from "../../core/manifest.ts";
import type { Occurrence } from "../../core/result/occurrence.ts";
import type { SchemaProblem } from "../../core/schema-problem.ts";

export type { Occurrence, SchemaProblem };

/**
 * A judge is a pure function over recorded exchanges: no I/O, no clock, no randomness. It yields one occurrence for each
 * requirement on each subject that it considered, also when nothing is wrong: a pass has to be earned.
 */
export type Judge = ExchangeJudge | RunJudge;

/** Looks at one exchange at a time; also applied to every response under load. */
export interface ExchangeJudge {
  readonly scope: "exchange";
  /** Slug, the same for pass and fail: `rate-limit-headers-present`. */
  readonly id: string;
  /** Requirement ids on which it may yield occurrences. */
  readonly covers: readonly string[];
  /** The record alone proves a violation (sums, repeated ids): it is told without repeating the request. */
  readonly conclusive?: boolean;
  /** Also yields on the requirement that the intent of its subject names (table-driven negatives). */
  readonly boundByIntent?: boolean;
  /** Whether exchanges of this kind can be its subject; absent: all. Where it is false, `judge` yields nothing. */
  concerns?(kind: ExchangeKind): boolean;
  /**
   * The requirements that `judge` would yield on, in its order, when it would accuse of nothing; null when `judge` must be
   * asked. Spares a million equal answers under load their texts and records. Equal lists should be one and the same array.
   */
  glance?(this: void, exchange: Exchange, context: JudgeContext): readonly string[] | null;
  judge(exchange: Exchange, context: JudgeContext): Iterable<Occurrence>;
}

/** What is known of an exchange with a response before anybody reads it. */
export interface ExchangeKind {
  readonly endpoint: EndpointId | null;
  readonly status: number;
  readonly intent: Intent["kind"];
  /** The answer came as a stream of events. */
  readonly streamed: boolean;
}

/** Compares exchanges with each other: twins, sequences, sums. */
export interface RunJudge {
  readonly scope: "run";
  readonly id: string;
  readonly covers: readonly string[];
  /** The record alone proves a violation (sums, repeated ids): it is told without repeating the request. */
  readonly conclusive?: boolean;
  /** Also yields on the requirement that the intent of its subject names (table-driven negatives). */
  readonly boundByIntent?: boolean;
  judge(exchanges: readonly Exchange[], context: JudgeContext): Iterable<Occurrence>;
}

export interface JudgeContext {
  /** The manifest without secrets (`secret` is empty). */
  readonly manifest: RedactedManifest;
  /** Compiled JSON Schemas of `schemas/wire/`; the name is the file name without extension. */
  validate(schema: string, value: unknown): readonly SchemaProblem[];
}
