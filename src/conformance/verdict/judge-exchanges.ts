import type { Exchange } from "../../core/exchange/exchange.ts";
import { describeJudgeFault } from "./describe-judge-fault.ts";
import { StrayJudgeFault } from "./stray-judge-fault.ts";
import type { Judge, JudgeContext, Occurrence } from "../judging/judge.ts";

/** An occurrence with the judge that yielded it. */
export interface JudgedOccurrence extends Occurrence {
  readonly judge: string;
  /** The record alone proves it; repeating the request would add nothing. */
  readonly conclusive: boolean;
  /** What the judge failed with on this subject: it says nothing about it then. Absent where it did not. */
  readonly fault?: string;
}

/**
 * Lets every judge look at the record. Judges are pure, so the order of exchanges and judges changes nothing but the order. One
 * that fails on an exchange leaves its requirements inconclusive there, and the others go on: no answer may end a run.
 */
export function judgeExchanges(
  exchanges: readonly Exchange[],
  judges: readonly Judge[],
  context: JudgeContext,
): readonly JudgedOccurrence[] {
  const ordered = exchanges.toSorted((one, other) => one.seq - other.seq);
  return judges.flatMap((judge) => applyJudge(judge, ordered, context));
}

function applyJudge(judge: Judge, exchanges: readonly Exchange[], context: JudgeContext): readonly JudgedOccurrence[] {
  const found: JudgedOccurrence[] = [];
  const keep = (occurrence: Occurrence): void => {
    if (judge.boundByIntent !== true && !judge.covers.includes(occurrence.requirement)) {
      throw new StrayJudgeFault(`judge ${judge.id} yielded ${occurrence.requirement}, which it does not cover`);
    }
    found.push({ ...occurrence, judge: judge.id, conclusive: judge.conclusive === true });
  };
  if (judge.scope === "run") {
    try {
      for (const occurrence of judge.judge(exchanges, context)) keep(occurrence);
    } catch (error) {
      found.push(...leaveOpen(judge, [], error));
    }
  } else {
    for (const exchange of exchanges) {
      try {
        for (const occurrence of judge.judge(exchange, context)) keep(occurrence);
      } catch (error) {
        found.push(...leaveOpen(judge, [exchange.seq], error));
      }
    }
  }
  return found;
}

function leaveOpen(judge: Judge, exchanges: readonly number[], error: unknown): readonly JudgedOccurrence[] {
  // What is wrong whatever a target sends.
  if (error instanceof StrayJudgeFault) throw error;
  const fault = describeJudgeFault(error);
  const place = exchanges[0] === undefined ? "this run" : `#${exchanges[0]}`;
  return [...new Set(judge.covers)].map((requirement) => ({
    requirement,
    outcome: "inconclusive",
    exchanges,
    message: `the judge ${judge.id} failed on ${place}: ${fault}`,
    judge: judge.id,
    conclusive: false,
    fault,
  }));
}
