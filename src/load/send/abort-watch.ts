import type { RecordWatch } from "../samples/early-end.ts";
import { hasStayed } from "../samples/has-stayed.ts";
import { isError } from "../samples/count-totals.ts";
import type { AbortPolicy } from "../profile/load-profile.ts";

/** Ends a profile early when its target is plainly failing. Rejects are answers, not errors. */
export function createAbortWatch(policy: AbortPolicy): RecordWatch {
  // Two lists of plain numbers: tens of thousands of small objects a second would keep the garbage collector busy.
  const recentMs: number[] = [];
  const errorAt: boolean[] = [];
  let head = 0;
  let errors = 0;
  return {
    observe(record) {
      if (record.outcome === "not-sent" || record.outcome === "interrupted" || !hasStayed(record)) return null;
      // A target that lets everything run into our time-out is failing, whoever is to blame for each.
      const error = isError(record) || record.outcome === "timed-out";
      recentMs.push(record.endMs);
      errorAt.push(error);
      if (error) errors += 1;
      const fromMs = record.endMs - 1000 * policy.windowSeconds;
      for (let oldest = recentMs[head]; oldest !== undefined && oldest < fromMs; oldest = recentMs[head]) {
        if (errorAt[head] === true) errors -= 1;
        head += 1;
      }
      if (head > 1024 && head > recentMs.length / 2) {
        recentMs.splice(0, head);
        errorAt.splice(0, head);
        head = 0;
      }
      const total = recentMs.length - head;
      if (total < policy.minimum || errors / total <= policy.errorRate) return null;
      return { kind: "error-storm", words: `error storm: ${errors} of the last ${total} requests were errors or never finished` };
    },
  };
}
