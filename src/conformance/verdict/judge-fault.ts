import type { Finding } from "../../core/result/finding.ts";
import { findingId } from "../../core/result/finding-id.ts";
import { HarnessFault } from "../judging/harness-fault.ts";
import type { JudgedOccurrence } from "./judged-occurrence.ts";

/** A judge that failed on answers, which it says nothing about. */
export interface JudgeFault {
  readonly judge: string;
  /** Its first error. */
  readonly fault: string;
  /** Sequence numbers of the answers; empty where it failed on the run as a whole. */
  readonly exchanges: readonly number[];
  /** Answers beyond those. */
  readonly more: number;
}

/** The error of a judge, short enough for a line of a report: it may quote the bytes of a target. */
export function describeJudgeFault(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 200);
}

/** Calls a judge of many answers; where it fails, `instead` is given what it failed with. */
export function guardJudge<Value>(
  judge: string,
  work: () => Value,
  instead: (fault: JudgeFault) => Value,
  exchanges: readonly number[] = [],
): Value {
  try {
    return work();
  } catch (error) {
    // A fault of the harness does not depend on the target.
    if (error instanceof HarnessFault) throw error;
    return instead({ judge, fault: describeJudgeFault(error), exchanges, more: 0 });
  }
}

/** Judges that failed, each once. */
export function faultsOf(occurrences: readonly JudgedOccurrence[]): readonly JudgeFault[] {
  const byJudge = new Map<string, { readonly fault: string; readonly exchanges: Set<number> }>();
  for (const { judge, fault, exchanges } of occurrences) {
    if (fault === undefined) continue;
    const known = byJudge.get(judge) ?? { fault, exchanges: new Set<number>() };
    byJudge.set(judge, known);
    for (const seq of exchanges) known.exchanges.add(seq);
  }
  return [...byJudge].map(([judge, { fault, exchanges }]) => ({ judge, fault, exchanges: [...exchanges], more: 0 }));
}

const exchangesListed = 5;

/** A reader of the report must not take the silence of a judge for a pass. */
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
