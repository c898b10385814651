import type { AnswerCounts } from "../../core/progress.ts";
import type { LoadRecord } from "./load-record.ts";

/** Counts what came back, for the live view: a few additions an answer instead of an event. */
export interface AnswerCounter {
  /** Never ends the profile: null always. */
  observe(record: LoadRecord): null;
  /** Counts since the call before. */
  readonly take: () => AnswerCounts;
}

export function countAnswers(): AnswerCounter {
  const none = { succeeded: 0, limited: 0, clientErrors: 0, serverErrors: 0, unanswered: 0 };
  let counts = { ...none };
  return {
    observe({ outcome, status }) {
      if (outcome === "not-sent" || outcome === "interrupted") return null;
      if (outcome === "transport-error" || status === null) counts.unanswered += 1;
      else if (status === 429) counts.limited += 1;
      // Also a stream that began well and broke.
      else if (outcome === "server-error") counts.serverErrors += 1;
      else if (status >= 400) counts.clientErrors += 1;
      else counts.succeeded += 1;
      return null;
    },
    take() {
      const taken = counts;
      counts = { ...none };
      return taken;
    },
  };
}
