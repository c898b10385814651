import { summarizeStep, type ProbedStep } from "../../load/samples/summarize-step.ts";
import type { ToLoop } from "./loop-messages.ts";

/** The other side of the barrier: waits for every loop, then reports all the same. */
export interface RateMeeting {
  ready(): void;
  probed(part: ProbedStep): void;
}

export interface RateMeetingOptions {
  readonly loops: number;
  readonly sendAll: (message: ToLoop) => void;
  /** Instant of the run clock that no loop can miss. */
  readonly beginAt: () => number;
}

/** A loop that was stopped never comes; the others are stopped too, and wait no longer. */
export function createRateMeeting({ loops, sendAll, beginAt }: RateMeetingOptions): RateMeeting {
  let waiting = 0;
  let parts: ProbedStep[] = [];
  return {
    ready() {
      waiting += 1;
      if (waiting < loops) return;
      waiting = 0;
      sendAll({ kind: "rate-begins", startMs: beginAt() });
    },
    probed(part) {
      parts.push(part);
      if (parts.length < loops) return;
      const records = parts.flatMap((each) => each.records);
      parts = [];
      sendAll({ kind: "rate-judged", judged: summarizeStep({ ...part, records }) });
    },
  };
}
