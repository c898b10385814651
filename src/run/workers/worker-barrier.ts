import type { LoadStep } from "../../core/result/load-result.ts";
import type { RateBarrier } from "../../load/send/rate-barrier.ts";
import type { FromWorker, ToWorker } from "./worker-messages.ts";

/** The barrier as a worker in a thread sees it: it asks the thread that started all workers, and hears what that says to all. */
export interface WorkerBarrier extends RateBarrier {
  hear(message: Extract<ToWorker, { kind: "rate-begins" | "rate-judged" }>): void;
}

export function createWorkerBarrier(post: (message: FromWorker) => void): WorkerBarrier {
  let begin: (startMs: number) => void = () => {};
  let judge: (judged: LoadStep) => void = () => {};
  return {
    begin: () =>
      new Promise((resolve) => {
        begin = resolve;
        post({ kind: "rate-ready" });
      }),
    judge: (probed) =>
      new Promise((resolve) => {
        judge = resolve;
        // Nobody asks for gaps here, and they are most of a record.
        const records = probed.records.map((record) => ({ ...record, groups: [] }));
        post({ kind: "rate-tried", probed: { ...probed, records } });
      }),
    hear(message) {
      if (message.kind === "rate-begins") begin(message.startMs);
      else judge(message.judged);
    },
  };
}
