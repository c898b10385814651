import type { Finding } from "../../core/result/finding.ts";
import { findingId } from "../../core/result/finding-id.ts";

/** A judge that failed on answers, which it says nothing about. */
export interface JudgeFault {
  readonly judge: string;
  /** What it failed with first. */
  readonly fault: string;
  /** Sequence numbers of the answers; empty where it failed on the run as a whole. */
  readonly exchanges: readonly number[];
  /** Answers beyond those. */
  readonly more: number;
}

const exchangesListed = 5;

/** Whoever reads the report must not take the silence of a judge for a pass. */
export function describeJudgeFailure({ judge, fault, exchanges, more }: JudgeFault): Finding {
  const seqs = [...new Set(exchanges)].toSorted((one, other) => one - other);
  return {
    id: findingId("harness", judge),
    stage: "harness",
    requirement: null,
    also: [],
    check: judge,
    level: null,
    verdict: "advisory",
    message: `the judge ${judge} failed on what the target sent: what it judges is inconclusive there`,
    spec: null,
    sent: null,
    expected: "an answer that assay can judge",
    observed: fault,
    forms: [],
    exchanges: seqs.slice(0, exchangesListed),
    more: more + Math.max(0, seqs.length - exchangesListed),
    curl: null,
    baselined: false,
  };
}
