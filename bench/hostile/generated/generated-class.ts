import type { BoundedRun } from "../run-bounded.ts";

/** One thing that an operator, a target or a vendor does, as a generator made it. */
export interface GeneratedCase {
  readonly id: string;
  /** Carries it out; what does not hold, in words. */
  readonly run: () => Promise<GeneratedOutcome>;
}

export interface GeneratedOutcome {
  readonly runs: readonly BoundedRun[];
  readonly broken: readonly string[];
}

/** Cases of one kind; with a larger `count` come more of them. */
export interface GeneratedClass {
  readonly id: string;
  readonly make: (options: { readonly count: number; readonly random: Random }) => Promise<ClassCases>;
}

export interface ClassCases {
  readonly cases: readonly GeneratedCase[];
  readonly close?: () => Promise<void>;
}

export type Random = (most: number) => number;
