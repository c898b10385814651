import type { ArrivalsFile, BurstsArrivals, ClosedArrivals, SessionsArrivals, TraceArrivals } from "./file/arrivals-file.ts";
import type { LengthDistribution } from "./length-distribution.ts";

/** Arrivals with every default filled in; their members are described where they are written (file/arrivals-file.ts). */
export type Arrivals =
  | Required<Exclude<ArrivalsFile, BurstsArrivals | ClosedArrivals | TraceArrivals | SessionsArrivals>>
  | (Required<Omit<BurstsArrivals, "edgeMs">> & {
      /** Null: no request at the edges of a minute. */
      readonly edgeMs: number | null;
    })
  | (Required<Omit<ClosedArrivals, "rampSeconds">> & Pick<ClosedArrivals, "rampSeconds">)
  | (Required<Omit<TraceArrivals, "blockTokens" | "timeUnit">> &
      Pick<TraceArrivals, "blockTokens" | "timeUnit"> & {
        /** Filled in when the profile is loaded. */
        readonly rows?: TraceRows;
      })
  | (Omit<SessionsArrivals, "turns" | "thinkSeconds"> & {
      readonly turns: LengthDistribution;
      readonly thinkSeconds: LengthDistribution;
    });

export interface TraceRows {
  /** Requests of the file. */
  readonly total: number;
  /** Those that fall due after the end. */
  readonly leftOut: number;
  /** Conversations that rows belong to; absent: none. */
  readonly conversations?: number;
  /** Rows with a length of 0 tokens, which no request can have: 1 is sent. */
  readonly raised?: number;
  /** Models that the file names and the workload has no entries for. */
  readonly merged?: readonly string[];
}
