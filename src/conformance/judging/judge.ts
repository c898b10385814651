import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import type { Intent } from "../../core/exchange/intent.ts";
import type { RedactedManifest } from "../../core/manifest.ts";
import type { Accusation, Occurrence } from "../../core/result/occurrence.ts";
import type { SchemaProblem } from "../../core/schema-problem.ts";

export type { Accusation, Occurrence, SchemaProblem };

export function isAccusation<One extends Occurrence>(occurrence: One): occurrence is One & Accusation {
  return occurrence.outcome === "fail" || occurrence.outcome === "advisory";
}

/**
 * A judge is a pure function over recorded exchanges: no I/O, no clock, no randomness. It has one outcome for each requirement
 * on each subject that it considered, also when nothing is wrong: a pass has to be earned.
 */
export type Judge = ExchangeJudge | RunJudge;

interface JudgeHead {
  /** Slug, the same for pass and fail: `rate-limit-headers-present`. */
  readonly id: string;
  /** Requirement ids on which it may have outcomes. */
  readonly covers: readonly string[];
  /** The record alone proves a violation (sums, repeated ids): it is reported without repeating the request. */
  readonly conclusive?: boolean;
  /**
   * The aspect of an answer that it looks at, if other judges look at the same: their statements about one answer are one
   * defect (`attributeDefects`).
   */
  readonly aspect?: "status" | "body" | "stream";
  /** May also have outcomes on the requirement that the intent of its subject names (table-driven negatives). */
  readonly boundByIntent?: boolean;
}

/**
 * Looks at one exchange at a time, under load at a million of them: it says `pass` with nothing but an id and finds words only
 * where something is wrong.
 */
export interface ExchangeJudge extends JudgeHead {
  readonly scope: "exchange";
  /** Whether exchanges of this kind can be its subject; absent: all. It is not asked about others. */
  concerns?(kind: ExchangeKind): boolean;
  /** Not `void`: a generator, whose body nobody would run, must not pass for a judge. */
  judge(exchange: ExchangeFacts, outcomes: Outcomes, context: JudgeContext): undefined;
}

/** The facts of an exchange that are known before anybody reads it. */
export interface ExchangeKind {
  readonly endpoint: EndpointId | null;
  /** 0 when no response head arrived. */
  readonly status: number;
  readonly intent: Intent["kind"];
  /** The answer came as a stream of events. */
  readonly streamed: boolean;
}

/** Takes what a judge says about the exchange that it looks at. */
export interface Outcomes {
  pass(requirement: string): void;
  fail(requirement: string, violation: Violation): void;
  /** A SHOULD or a lenient reading is violated. */
  advisory(requirement: string, violation: Violation): void;
  /** The specification is silent: `answer` says what the target does, equal for equal behaviour. Under load it is not asked for. */
  observed(requirement: string, answer: () => string, message?: string): void;
  inconclusive(requirement: string, message: string): void;
  /** Passes where the requirement is met, else fails if the violation does not say otherwise; its words are made only then. */
  passOrFail(requirement: string, isMet: boolean, violation: () => WeighedViolation): void;
}

export type Violation = Required<Pick<Accusation, "kind" | "expected" | "observed">> &
  Pick<Accusation, "field" | "conclusive"> &
  Words;

/** A message as it is, or made of a place and the words around it: other places can stand there too. */
type Words =
  | (Pick<Accusation, "message"> & { readonly place?: never; readonly around?: never })
  | (Required<Pick<Accusation, "place">> & Pick<Accusation, "around"> & { readonly message?: never });

/** Absent: it fails. */
export type WeighedViolation = Violation & { readonly outcome?: Accusation["outcome"] };

/** The text of a violation for a reader: its kind if the judge has no other words, behind its place. */
export function messageOf({ kind, message = kind, place, around = ["", kind] }: MessageParts): string {
  const [before, after] = around;
  return place === undefined ? message : `${before}${place}${after}`;
}

export type MessageParts = Pick<Accusation, "kind" | "message" | "place" | "around">;

/** Compares exchanges with each other: twins, sequences, sums. */
export interface RunJudge extends JudgeHead {
  readonly scope: "run";
  judge(exchanges: readonly ExchangeFacts[], context: JudgeContext): Iterable<Occurrence>;
}

export interface JudgeContext {
  /** The manifest without its secrets. */
  readonly manifest: RedactedManifest;
  /** Compiled JSON Schemas of `schemas/wire/`; the name is the file name without extension. */
  validate(schema: string, value: unknown): readonly SchemaProblem[];
}
