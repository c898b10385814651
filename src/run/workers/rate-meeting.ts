import { summarizeStep, type TriedLevel } from "../../load/judge/summarize-step.ts";
import type { ToWorker } from "./worker-messages.ts";

/** The other side of the barrier: waits for every worker, then reports all the same. */
export interface RateMeeting {
  ready(): void;
  probed(part: TriedLevel): void;
}

export interface RateMeetingOptions {
  readonly workerCount: number;
  readonly sendAll: (message: ToWorker) => void;
  /** Instant of the run clock that no worker can miss. */
  readonly beginAt: () => number;
}

/** A worker that was stopped never comes; the others are stopped too, and wait no longer. */
export function createRateMeeting({ workerCount, sendAll, beginAt }: RateMeetingOptions): RateMeeting {
  let waiting = 0;
  let parts: TriedLevel[] = [];
  return {
    ready() {
      waiting += 1;
      if (waiting < workerCount) return;
      waiting = 0;
      sendAll({ kind: "rate-begins", startMs: beginAt() });
    },
    probed(part) {
      parts.push(part);
      if (parts.length < workerCount) return;
      const records = parts.flatMap((each) => each.records);
      parts = [];
      sendAll({ kind: "rate-judged", judged: summarizeStep({ ...part, records }) });
    },
  };
}
