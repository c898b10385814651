import type { LoadRecord } from "./load-record.ts";
import type { AbortPolicy } from "./load-profile.ts";

/** Ends a profile early when its target is plainly failing. Rejects are answers, not errors. */
export interface AbortWatch {
  /** Reason to stop, or null to go on. */
  observe(record: LoadRecord): string | null;
}

export function createAbortWatch(policy: AbortPolicy): AbortWatch {
  const recent: { readonly atMs: number; readonly error: boolean }[] = [];
  let head = 0;
  let errors = 0;
  return {
    observe(record) {
      if (record.outcome === "not-sent") return null;
      const error = isError(record);
      recent.push({ atMs: record.endMs, error });
      if (error) errors += 1;
      for (let oldest = recent[head]; oldest !== undefined && oldest.atMs < record.endMs - 1000 * policy.windowSeconds;) {
        if (oldest.error) errors -= 1;
        head += 1;
        oldest = recent[head];
      }
      if (head > 1024) {
        recent.splice(0, head);
        head = 0;
      }
      const total = recent.length - head;
      if (total < policy.minimum || errors / total <= policy.errorRate) return null;
      return `error storm: ${errors} of the last ${total} answers were errors`;
    },
  };
}

/** Errors as gates count them: everything that is neither an answer nor a lawful reject. */
export function isError(record: Pick<LoadRecord, "outcome">): boolean {
  switch (record.outcome) {
    case "client-error":
    case "server-error":
    case "transport-error":
      return true;
    case "ok":
    case "rate-limited":
    case "burst-limited":
    case "spend-capped":
    case "not-sent":
      return false;
    default:
      return record.outcome satisfies never;
  }
}
