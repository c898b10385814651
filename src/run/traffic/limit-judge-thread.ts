import { parentPort, workerData, type MessagePort } from "node:worker_threads";
import type { ManifestFacts } from "../../core/manifest.ts";
import type { LimitsJudgement } from "../../limits/exam/judge-limits.ts";
import { createLimitMonitor } from "../../limits/traffic/limit-monitor.ts";
import type { LimitOp } from "../../limits/history/op.ts";

/** The data that the thread is started with. */
export interface JudgeThreadData {
  readonly manifest: ManifestFacts;
  readonly strict: boolean;
  /** [0]: requests taken in so far; [1]: 1 when the answer to `finish` has been posted. */
  readonly state: Int32Array;
  /** The port for the answer to `finish`: the other side reads it without an event loop. */
  readonly reply: MessagePort;
}

/** A batch of requests, or the end of the traffic. */
export type JudgeThreadOrder = readonly LimitOp[] | "finish";

export type JudgeThreadAnswer = { readonly judgement: LimitsJudgement } | { readonly fault: string };

/** Entry point of the thread in which a load profile's traffic is judged; `watchLimits` starts it. */
function serve(data: JudgeThreadData): (order: JudgeThreadOrder) => void {
  const monitor = createLimitMonitor({ manifest: data.manifest, strict: data.strict });
  const post = (answer: JudgeThreadAnswer): void => data.reply.postMessage(answer, []);
  let fault: string | null = null;
  const advance = (index: 0 | 1, by: number): void => {
    Atomics.add(data.state, index, by);
    Atomics.notify(data.state, index);
  };
  return (order) => {
    try {
      if (order === "finish") {
        post(fault === null ? { judgement: monitor.finish() } : { fault });
        advance(1, 1);
        return;
      }
      for (const op of order) monitor.add(op);
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error);
      if (order === "finish") {
        post({ fault });
        advance(1, 1);
      }
    }
    if (order !== "finish") advance(0, order.length);
  };
}

// The starter hands over exactly this; nobody else can start the thread.
parentPort?.on("message", serve(workerData as JudgeThreadData));
