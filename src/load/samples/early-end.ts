import type { LoadRecord } from "../samples/load-record.ts";

/** Looks at every record and may end its profile. */
export interface RecordWatch {
  /** Reason to stop, or null to go on. */
  observe(record: LoadRecord): EarlyEnd | null;
}

/** Why a profile ended before its time. */
export interface EarlyEnd {
  /**
   * `interrupted`: by a signal. `error-storm` and `hopeless`: the target failed so plainly that the rest was spared. `budget`: what may be
   * spent is spent. `agent`: a machine that sends a part of it was lost or ended. `room`: the generator cannot hold what is under way.
   * `lost`: the run died. `fault`: of the harness.
   */
  readonly kind: "interrupted" | "error-storm" | "hopeless" | "budget" | "agent" | "room" | "lost" | "fault";
  /** For people, with what was counted. */
  readonly words: string;
}
