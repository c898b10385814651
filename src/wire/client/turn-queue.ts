import { performance } from "node:perf_hooks";

/**
 * The order of a turn of the loop after it has read its sockets: requests are written first; the work on answers waits for a slice of
 * the time that is left.
 */
export interface TurnQueue {
  /** Done once all sockets of this turn were read, before any work. */
  readonly write: (task: () => void) => void;
  /** Done in order, when nothing is to be written. */
  readonly work: (task: () => void) => void;
  /** Does all work at once. */
  readonly finishWork: () => void;
}

const heard = Promise.resolve();

/** So long the loop works before it looks at its sockets again. */
const sliceMs = 1.5;
/**
 * A slice takes as long as reading took where more comes than it gets done; several times as long where the oldest work has
 * waited for long: a loop that is behind for good must not hoard answers, and must go on reading.
 */
const [longWaitMs, catchUp, longestSliceMs] = [100, 4, 20];

interface Waiting {
  readonly task: () => void;
  readonly sinceMs: number;
}

export function createTurnQueue(now: () => number = () => performance.now()): TurnQueue {
  let writes: (() => void)[] = [];
  let waiting: Waiting[] = [];
  let next = 0;
  let armed = false;
  /** End of the slice before, where it left work undone. */
  let behindSinceMs: number | null = null;

  const arm = (): void => {
    if (armed) return;
    armed = true;
    setImmediate(() => void takeTurn());
  };
  const takeNext = (): Waiting | null => {
    const one = waiting[next];
    if (one === undefined) return null;
    next += 1;
    if (next === waiting.length) {
      waiting = [];
      next = 0;
    }
    return one;
  };
  const workSlice = async (): Promise<void> => {
    const beganMs = now();
    const waitedMs = beganMs - (waiting[next]?.sinceMs ?? beganMs);
    const readMs = behindSinceMs === null ? 0 : beganMs - behindSinceMs;
    const wantedMs = waitedMs > longWaitMs ? catchUp * readMs : readMs;
    const untilMs = beganMs + Math.min(longestSliceMs, Math.max(sliceMs, wantedMs));
    let nowMs = beganMs;
    for (let one = takeNext(); one !== null; one = takeNext()) {
      one.task();
      // The work of others on the answer is a part of it: they hear of it by a promise.
      await heard;
      nowMs = now();
      if (writes.length > 0 || nowMs >= untilMs) break;
    }
    behindSinceMs = waiting.length > 0 ? nowMs : null;
  };
  const takeTurn = async (): Promise<void> => {
    const due = writes;
    writes = [];
    for (const task of due) task();
    await workSlice();
    armed = false;
    if (writes.length > 0 || waiting.length > 0) arm();
  };

  return {
    write(task) {
      writes.push(task);
      arm();
    },
    work(task) {
      waiting.push({ task, sinceMs: now() });
      arm();
    },
    finishWork() {
      for (let one = takeNext(); one !== null; one = takeNext()) one.task();
    },
  };
}
