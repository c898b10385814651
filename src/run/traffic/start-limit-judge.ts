import { existsSync } from "node:fs";
import { receiveMessageOnPort, MessageChannel, Worker } from "node:worker_threads";
import type { LimitsJudgement } from "../../limits/exam/judge-limits.ts";
import { createLimitMonitor, type LimitMonitorOptions } from "../../limits/traffic/limit-monitor.ts";
import type { LimitOp } from "../../limits/history/op.ts";
import { compiledFile } from "../compiled-file.ts";
import type { JudgeThreadAnswer, JudgeThreadData, JudgeThreadOrder } from "./limit-judge-thread.ts";

/** A limit monitor in a thread of its own. */
export interface LimitJudge {
  /** Hands requests over; waits only when the thread is behind by more of them than may be held in memory. */
  take(ops: readonly LimitOp[]): void;
  /** Waits until everything is judged, and ends the thread. Throws when the thread failed: a fault of ours. */
  finish(): LimitsJudgement;
}

const threadFile = compiledFile("run/traffic/limit-judge-thread.js");

/** Requests that may wait for the thread: waiting for it would hold up what is being sent. */
const mostBehind = 100_000;
/** Judging what is left takes a second or two even for the largest segments. */
const patienceMs = 120_000;

export function startLimitJudge(options: LimitMonitorOptions): LimitJudge {
  // A source tree may never have been built.
  return existsSync(threadFile) ? judgeInThread(options) : judgeHere(options);
}

/** A judge as above, without a thread. */
export function judgeHere(options: LimitMonitorOptions): LimitJudge {
  const monitor = createLimitMonitor(options);
  return {
    take: (ops) => {
      for (const op of ops) monitor.add(op);
    },
    finish: () => monitor.finish(),
  };
}

function judgeInThread({ manifest, strict }: LimitMonitorOptions): LimitJudge {
  const state = new Int32Array(new SharedArrayBuffer(8));
  const { port1: answers, port2: reply } = new MessageChannel();
  const workerData: JudgeThreadData = { manifest, strict, state, reply };
  const worker = new Worker(threadFile, { workerData, transferList: [reply] });
  // An interrupted run ends without asking for the judgement.
  worker.unref();
  let failure: unknown = null;
  worker.on("error", (error) => (failure = error));
  let sent = 0;
  const order = (what: JudgeThreadOrder): void => worker.postMessage(what, []);
  return {
    take: (ops) => {
      if (ops.length === 0) return;
      order(ops);
      sent += ops.length;
      const taken = Atomics.load(state, 0);
      if (sent - taken > mostBehind) Atomics.wait(state, 0, taken, patienceMs);
    },
    finish: () => {
      order("finish");
      Atomics.wait(state, 1, 0, patienceMs);
      const received: { readonly message: JudgeThreadAnswer } | undefined = receiveMessageOnPort(answers);
      answers.close();
      void worker.terminate();
      if (received === undefined) throw new Error("The thread that judges limits did not answer", { cause: failure });
      if ("fault" in received.message) throw new Error(`The thread that judges limits failed: ${received.message.fault}`);
      return received.message.judgement;
    },
  };
}
