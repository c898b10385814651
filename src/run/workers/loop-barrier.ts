import type { LoadStep } from "../../core/result/load-result.ts";
import type { RateBarrier } from "../../load/send/rate-barrier.ts";
import type { FromLoop, ToLoop } from "./loop-messages.ts";

/** The barrier as a loop in a thread sees it: it asks the thread that started all loops, and hears what that says to all. */
export interface LoopBarrier extends RateBarrier {
  hear(message: Extract<ToLoop, { kind: "rate-begins" | "rate-judged" }>): void;
}

export function createLoopBarrier(post: (message: FromLoop) => void): LoopBarrier {
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
        post({ kind: "rate-probed", probed: { ...probed, records } });
      }),
    hear(message) {
      if (message.kind === "rate-begins") begin(message.startMs);
      else judge(message.judged);
    },
  };
}
