import type { LoadStep } from "../../core/result/load-result.ts";
import type { Random } from "../../core/random.ts";
import type { CapacityStop } from "../capacity/next-trial.ts";
import type { Contradiction } from "../profile/contradiction.ts";
import type { Arrivals } from "../profile/arrivals.ts";
import type { LengthDistribution } from "../profile/length-distribution.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { PlannedSend } from "../profile/planned-send.ts";
import type { SearchTrial } from "../capacity/search-trial.ts";
import type { TraceEntry } from "./traces/trace-entry.ts";

/** Arrivals as a profile states them, by their kind. */
export type ArrivalsOf<Kind extends Arrivals["kind"]> = Extract<Arrivals, { readonly kind: Kind }>;

/** Everything that is particular to one kind of arrivals. */
export interface ArrivalKind<Kind extends Arrivals["kind"]> {
  /** Members that a profile may leave out. */
  readonly defaults: Partial<ArrivalsOf<Kind>>;
  /** Members that may be written as one number instead of a distribution. */
  readonly lengths?: readonly string[];
  shape(arrivals: ArrivalsOf<Kind>): ArrivalShape;
}

/** How requests come to be sent: all that is not about arrivals asks this, so that it has to know no kind by name. */
export type ArrivalShape = OpenShape | ConversationsShape | LoopShape | SearchShape;

interface AnyShape {
  /** One line for reports; `window` is the length of the profile in words, for arrivals that have none of their own. */
  describe(window: string): string;
  /** Contradictions between members that a schema cannot state. */
  contradictions?(profile: Pick<LoadProfile, "workload" | "durationSeconds" | "warmUpSeconds">): readonly Contradiction[];
}

/** A schedule that is kept whatever the answers are. */
export interface OpenShape extends AnyShape {
  readonly name: "open";
  /** Length that the arrivals have of their own, whatever the profile says. */
  readonly ownSeconds?: number;
  /** One rate from its begin to its end. */
  readonly isSteady?: true;
  /** The profile is over with its last send, before its time is up. */
  readonly endsEarly?: true;
  /** Long silences lie between the sends: they may pass on a clock that is moved. */
  readonly hasSilences?: true;
  /** Sizes may depend on the request limit: a run asks the target for it where nobody declared it. */
  readonly learnsLimit?: true;
  /** The file that holds the schedule. */
  readonly trace?: TraceFile;
  /** In order of time, warm-up included. Throws RangeError when a size relative to a limit is asked for and none is known. */
  schedule(input: ScheduleInput): readonly PlannedSend[];
}

/** Conversations begin by a schedule; each later turn waits for the answer to the one before. */
export interface ConversationsShape extends AnyShape {
  readonly name: "conversations";
  readonly thinkSeconds: LengthDistribution;
  /** Requests a second when every conversation has as many turns as it may have. */
  readonly mostPerSecond: number;
  /** The profile is over with its last answer, before its time is up. */
  readonly endsEarly?: true;
  /** The file that holds the schedule. */
  readonly trace?: TraceFile;
  schedule(input: ScheduleInput): readonly PlannedSend[];
}

/** No schedule: a request is sent when one is answered. */
export interface LoopShape extends AnyShape {
  readonly name: "loop";
  readonly concurrency: number;
  readonly thinkMs: number;
  /** Over how long the slots begin, in a loop of this length. */
  readonly rampMs: (loopMs: number) => number;
  /** As one of several workers sends it. */
  withConcurrency(concurrency: number): Arrivals;
}

/** One level after the other; which ones the answers decide. */
export interface SearchShape extends AnyShape {
  readonly name: "search";
  /** How a level is sent: as a rate, or as requests in flight. */
  readonly levels: RateLevels | LoopLevels;
  /** Trials that are known before any answer. */
  readonly plannedTrials: readonly SearchTrial[];
  /** Trials that no run exceeds, neither in their number nor one by one. */
  readonly worstTrials: readonly SearchTrial[];
  /** All trials take so long at most, without the waits for their last answers. */
  readonly mostSeconds: number;
  readonly mostTrials: number;
  /** It answers something without any service level: a curve. */
  readonly needsNoServiceLevel?: true;
  /** The gates of the profile lead the search, and are not judged over all levels together. */
  readonly isLedByGates?: true;
  /** The trial after these, or why there is none; of a search that goes on until it knows enough. */
  readonly nextTrial?: (steps: readonly LoadStep[]) => SearchTrial | CapacityStop;
  /** Of a search for capacity: half the width of its interval, as a share of the level, at which it ends. */
  readonly precision?: number;
  /**
   * Looks for the highest level that meets the service level. One that the generator could not send (`inconclusive`) ends the
   * search: what lies above cannot be known either.
   */
  search(tryLevel: TryLevel): Promise<readonly LoadStep[]>;
}

export interface RateLevels {
  readonly of: "rate";
  /** Schedule of one trial, from its own start. */
  schedule(trial: SearchTrial, step: number, random: Random): readonly PlannedSend[];
}

export interface LoopLevels {
  readonly of: "concurrency";
  loop(trial: SearchTrial): LoopShape;
}

/** Tries one level; null when the run was stopped. */
export type TryLevel = (trial: SearchTrial, step: number) => Promise<LoadStep | null>;

export interface ScheduleInput {
  readonly random: Random;
  readonly durationSeconds: number;
  readonly warmUpSeconds: number;
  /** Requests per minute that the target declares; sizes like `limit+1` need it. */
  readonly requestLimit: number | null;
  /** `burst_limit` of the key, as the manifest states it; sizes like `burst+1` need it. */
  readonly burstLimit: number | null;
  /** Entries of the trace that the arrivals name, already read. */
  readonly trace: readonly TraceEntry[];
}

export interface TraceFile {
  readonly path: string;
  read(text: string): readonly TraceEntry[];
  /** From the first request of the file to the last one. */
  lengthMs(trace: readonly TraceEntry[]): number;
  /** The arrivals with what the file says of them. */
  fit(trace: readonly TraceEntry[], totalMs: number, workload: LoadProfile["workload"]): Arrivals;
}
