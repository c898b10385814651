import type { FamilyId } from "../models/limiter-model.ts";

/** The facts of one request that a family of limiters counts by; instants on the run clock. */
export interface FamilyOp {
  readonly seq: number;
  readonly sentMs: number;
  readonly headersMs: number;
  /** `free`: answered otherwise, it may or may not have been counted. `lost`: unanswered, it may have been counted later. */
  readonly outcome: "admitted" | "rejected" | "free" | "lost";
  /** null where none was readable or the reading may be another counter's. */
  readonly remaining: number | null;
}

export interface FamilyInput {
  /** By send instant. */
  readonly ops: readonly FamilyOp[];
  readonly limit: number;
  readonly windowMs: number;
  readonly granularityMs: number;
  readonly fuzzMs: number;
  readonly rateRatio: number;
  /** 0: remaining counts the request that carries it, 1: it does not yet (O2). */
  readonly before: 0 | 1;
  /** Step to which remaining is rounded, 1 when it is exact. */
  readonly rounding: number;
  /** Whether remaining is compared at all; without it only decisions are. */
  readonly readings: boolean;
}

/** Why no limiter of a family can have produced the history. */
export interface Refutation {
  readonly family: FamilyId;
  readonly because: string;
  /** Sequence numbers, the subject first. */
  readonly ops: readonly number[];
}

export type FamilyParameters = Readonly<Record<string, number | string | boolean>>;

export type FamilyVerdict =
  | { readonly possible: true; readonly parameters: FamilyParameters }
  | { readonly possible: false; readonly refutation: Refutation };

export interface Family {
  readonly id: FamilyId;
  /** Necessary conditions only: a refutation is sound, a survival is no proof. */
  examine(input: FamilyInput): FamilyVerdict;
}

export function refuted(family: FamilyId, because: string, ops: readonly number[]): FamilyVerdict {
  return { possible: false, refutation: { family, because, ops } };
}

/** Consumption that a reading allows: used = limit - remaining, give or take what rounding can hide. */
export function usedBounds(op: FamilyOp, input: FamilyInput): readonly [low: number, high: number] | null {
  if (!input.readings || op.remaining === null || op.outcome !== "admitted") return null;
  const used = input.limit - op.remaining;
  return [used - (input.rounding - 1), used + (input.rounding - 1)];
}
