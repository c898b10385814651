import { Worker } from "node:worker_threads";
import type { Clock } from "../../core/clock.ts";
import { monotonicOriginMs } from "../../wire/clock/monotonic-origin.ts";
import { isWaited } from "./waits.ts";

/** Calls back when planned instants are due; never before, and without spinning. */
export interface Pacer {
  /**
   * `timesMs` ascending on the run clock. Calls `onDue(index)` in order, at or after each instant. Resolves after the last
   * one, or at once when the signal aborts; what was not due by then is never called.
   */
  run(timesMs: Float64Array, onDue: (index: number) => void, signal: AbortSignal): Promise<void>;
}

/**
 * Pacing by a worker thread that sleeps in Atomics.wait with a fraction of a millisecond and posts the indices that are
 * due: about 0.1 ms late at the median where timers are 0.6 ms late or 1.9 ms early (docs/measurements/performance.md). It wakes early by
 * its own measured lateness; the main thread then holds a send back until its instant has come.
 */
export function createWorkerPacer(clock: Clock): Pacer {
  return {
    run: (timesMs, onDue, signal) =>
      new Promise((resolve, reject) => {
        if (timesMs.length === 0 || signal.aborted) {
          resolve();
          return;
        }
        // Both threads read CLOCK_MONOTONIC, each with its own origin: hand over absolute instants.
        const originMs = monotonicOriginMs(() => clock.nowMs());
        const absolute = new Float64Array(new SharedArrayBuffer(8 * timesMs.length));
        for (let index = 0; index < timesMs.length; index += 1) absolute[index] = originMs + (timesMs[index] ?? 0);
        const stop = new Int32Array(new SharedArrayBuffer(4));
        const worker = new Worker(pacerSource, { eval: true, workerData: { absolute, stop } });
        let next = 0;
        let allowed = 0;
        const finish = (): void => {
          signal.removeEventListener("abort", abort);
          // A failed termination leaves a thread that ends by itself when it sees the flag.
          worker.terminate().then(
            () => resolve(),
            () => resolve(),
          );
        };
        const abort = (): void => {
          Atomics.store(stop, 0, 1);
          Atomics.notify(stop, 0);
          next = timesMs.length;
          finish();
        };
        const drain = (): void => {
          while (next < allowed) {
            const dueMs = timesMs[next] ?? 0;
            if (clock.nowMs() < dueMs) {
              // Some hundredths of a millisecond early: one turn of the loop later it is due.
              setImmediate(drain);
              return;
            }
            next += 1;
            onDue(next - 1);
          }
          if (next === timesMs.length && !signal.aborted) finish();
        };
        signal.addEventListener("abort", abort, { once: true });
        worker.on("message", (count: number) => {
          const idle = next >= allowed;
          allowed = Math.max(allowed, count);
          if (idle) drain();
        });
        worker.once("error", reject);
      }),
  };
}

/** Runs inside the worker, as text: a worker cannot load TypeScript while tests run from source. */
const pacerSource: string = `
const { workerData, parentPort } = require("node:worker_threads");
const { absolute, stop } = workerData;
const now = () => Number(process.hrtime.bigint()) / 1e6;
let lead = 0.05;
let index = 0;
while (index < absolute.length && Atomics.load(stop, 0) === 0) {
  const wait = absolute[index] - lead - now();
  if (wait > 0) {
    const before = now();
    Atomics.wait(stop, 0, 0, wait);
    const late = now() - before - wait;
    if (late >= 0 && late < 1) lead += 0.05 * (Math.min(late, 0.12) - lead);
  }
  const due = now() + lead;
  const from = index;
  while (index < absolute.length && absolute[index] <= due) index += 1;
  if (index > from) parentPort.postMessage(index);
}
`;

/**
 * Pacing on the clock itself, for virtual clocks: `sleep` advances them. `settle` resolves when nothing is in flight; it is
 * awaited before time moves, so that no answer spans the jump.
 */
export function createClockPacer(clock: Clock, settle: () => Promise<void> = () => Promise.resolve()): Pacer {
  return {
    async run(timesMs, onDue, signal) {
      for (let index = 0; index < timesMs.length; index += 1) {
        if ((timesMs[index] ?? 0) > clock.nowMs()) await settle();
        const waitMs = (timesMs[index] ?? 0) - clock.nowMs();
        // Sends that are due together leave together: nothing else may run in between.
        if (waitMs > 0) await isWaited(clock, waitMs, signal);
        if (signal.aborted) return;
        onDue(index);
      }
    },
  };
}

/** The pacer's thread needs a moment to start; nothing is due before it runs. */
export const startLeadMs = 200;
