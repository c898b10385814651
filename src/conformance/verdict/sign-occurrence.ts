import { isAccusation, type Judge, messageOf, type Occurrence } from "../judging/judge.ts";
import type { JudgedOccurrence } from "./judged-occurrence.ts";
import { StrayJudgeFault } from "../judging/harness-fault.ts";

/** The statement of a judge, with its name; throws if the requirement is none of its own. */
export function signOccurrence(occurrence: Occurrence, judge: Judge): JudgedOccurrence {
  if (judge.boundByIntent !== true && !judge.covers.includes(occurrence.requirement)) {
    throw new StrayJudgeFault(`judge ${judge.id} yielded ${occurrence.requirement}, which it does not cover`);
  }
  const { id, aspect, conclusive } = judge;
  return {
    ...occurrence,
    ...(isAccusation(occurrence) && { message: messageOf(occurrence) }),
    judge: id,
    ...(aspect === undefined ? {} : { aspect }),
    conclusive: (occurrence.conclusive ?? conclusive) === true,
  };
}
