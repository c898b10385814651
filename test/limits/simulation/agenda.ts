/** Discrete events on virtual time: it moves only when everybody who runs on it waits for something. */
export interface Agenda {
  nowMs(): number;
  /** `run` happens at an instant; nobody waits for it. */
  at(atMs: number, run: () => void): void;
  /** Resolves at an instant. */
  wait(atMs: number): Promise<void>;
  /** To be called by an event that lets a waiting caller go on: the next event comes after that caller waits again. */
  resume(): void;
}

interface Entry {
  readonly atMs: number;
  readonly run: () => void;
}

/** Equal calls give equal orders of events: ties go by the order in which they were entered. */
export function createAgenda(startMs: number): Agenda {
  const entries: Entry[] = [];
  let nowMs = startMs;
  let isPumping = false;
  let isResumed = false;
  const enter = (atMs: number, run: () => void): void => {
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (entries[middle]!.atMs <= atMs) low = middle + 1;
      else high = middle;
    }
    entries.splice(low, 0, { atMs, run });
    if (!isPumping) void pump();
  };
  const pump = async (): Promise<void> => {
    isPumping = true;
    await everybodyWaits();
    for (let entry = entries.shift(); entry !== undefined; entry = entries.shift()) {
      nowMs = Math.max(nowMs, entry.atMs);
      isResumed = false;
      entry.run();
      if (isResumed) await everybodyWaits();
    }
    isPumping = false;
  };
  const resume = (): void => {
    isResumed = true;
  };
  return {
    nowMs: () => nowMs,
    at: enter,
    wait: (atMs) =>
      new Promise((resolve) =>
        enter(atMs, () => {
          resume();
          resolve();
        }),
      ),
    resume,
  };
}

/** All promises that can be settled without time have been settled once the event loop comes round. */
function everybodyWaits(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
