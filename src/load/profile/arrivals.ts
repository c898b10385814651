import type { ArrivalsFile } from "./file/arrivals-file.ts";
import type { LengthDistribution } from "./length-distribution.ts";

type Written<Kind extends ArrivalsFile["kind"]> = Extract<ArrivalsFile, { readonly kind: Kind }>;

/** Arrivals with every default filled in; their members are described where they are written (file/arrivals-file.ts). */
export type Arrivals =
  | Required<Exclude<ArrivalsFile, Written<"bursts" | "closed" | "trace" | "sessions">>>
  | (Required<Omit<Written<"bursts">, "edgeMs">> & {
      /** Null: no request at the edges of a minute. */
      readonly edgeMs: number | null;
    })
  | (Required<Omit<Written<"closed">, "rampSeconds">> & Pick<Written<"closed">, "rampSeconds">)
  | (Required<Omit<Written<"trace">, "blockTokens" | "timeUnit">> &
      Pick<Written<"trace">, "blockTokens" | "timeUnit"> & {
        /** Filled in when the profile is loaded. */
        readonly rows?: TraceRows;
      })
  | (Omit<Written<"sessions">, "turns" | "thinkSeconds"> & {
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
