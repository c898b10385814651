import type { HealthSecond } from "../../../load/generator/generator-health.ts";
import { createLoopDelays } from "../../../load/generator/loop-delays.ts";
import type { Stalls } from "../../../load/samples/is-provoked.ts";
import type { LoadRecord } from "../../../load/samples/load-record.ts";

/** Records of one agent, each until its machine has said how late it was about their end. */
export interface AwaitedRecords {
  add(record: LoadRecord): void;
  health(samples: readonly HealthSecond[]): void;
  /** Nothing more comes of this agent. */
  end(): void;
}

/** `startMs`: begin of the profile on the clock of the records. */
export function createAwaitedRecords(startMs: number, on: (record: LoadRecord, stalls: Stalls) => void): AwaitedRecords {
  const seconds: HealthSecond[] = [];
  let waiting: LoadRecord[] = [];
  let lastSecond = -1;
  /** A delay is noticed when it is over: the second after the end of a request may be that of a delay within it. */
  const release = (untilSecond: number): void => {
    const stalls = createLoopDelays(seconds, [], startMs);
    const isKnown = ({ endMs }: LoadRecord): boolean => Math.floor((endMs - startMs) / 1000) < untilSecond;
    const known = waiting.filter(isKnown);
    waiting = waiting.filter((record) => !isKnown(record));
    for (const record of known) on(record, stalls);
  };
  return {
    add: (record) => void waiting.push(record),
    health(samples) {
      for (const sample of samples) {
        seconds.push(sample);
        lastSecond = Math.max(lastSecond, sample.second);
      }
      release(lastSecond);
    },
    end: () => release(Infinity),
  };
}
