import type { Exchange } from "../../core/exchange/exchange.ts";
import { HarnessFault } from "./harness-fault.ts";
import type { Judge, JudgeContext, Occurrence } from "../judging/judge.ts";

/** An occurrence with the judge that yielded it. */
export interface JudgedOccurrence extends Occurrence {
  readonly judge: string;
  /** The record alone proves it; repeating the request would add nothing. */
  readonly conclusive: boolean;
}

/** Lets every judge look at the record. Judges are pure, so the order of exchanges and judges changes nothing but the order. */
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
      throw new HarnessFault(`judge ${judge.id} yielded ${occurrence.requirement}, which it does not cover`);
    }
    found.push({ ...occurrence, judge: judge.id, conclusive: judge.conclusive === true });
  };
  if (judge.scope === "run") {
    for (const occurrence of judge.judge(exchanges, context)) keep(occurrence);
  } else {
    for (const exchange of exchanges) {
      for (const occurrence of judge.judge(exchange, context)) keep(occurrence);
    }
  }
  return found;
}
