import type { NotSentReason, OutcomeClass } from "../../core/result/load-outcome.ts";
import type { ServiceLevel } from "../profile/load-profile.ts";
import type { WorkloadEndpoint } from "../profile/workload-item.ts";
import type { ArrivalGroup, ServerTimings } from "./stream-progress.ts";

/** Figures of one request; instants in milliseconds on the run clock, null where they do not apply (never 0). */
export interface LoadRecord {
  readonly seq: number;
  readonly endpoint: WorkloadEndpoint;
  readonly label: string;
  readonly phase: "warm-up" | "measure";
  readonly step: number;
  /** When the schedule wanted the first attempt sent; closed loops: when the slot was free. */
  readonly intendedMs: number;
  /** The generator handed it to the wire; later than `intendedMs` by its own doing, earlier than `sentMs` by connecting. */
  readonly issuedMs: number;
  readonly sentMs: number;
  readonly headersMs: number | null;
  readonly firstByteMs: number | null;
  readonly firstEventMs: number | null;
  readonly firstTokenMs: number | null;
  readonly firstTokenEarliestMs: number | null;
  readonly firstOutputMs: number | null;
  /** Last content event of a stream, last byte of any other answer. */
  readonly answeredMs: number;
  /** Last byte or failure. */
  readonly endMs: number;
  readonly status: number | null;
  readonly outcome: OutcomeClass;
  /** Why it never left; null for whatever did. */
  readonly notSent: NotSentReason | null;
  /** 1 for the first attempt; repetitions after a transport race do not count. */
  readonly attempt: number;
  readonly good: boolean;
  /** Not known to be good or not: given up before it surely missed a bound, or by an estimate only. */
  readonly maybeGood: boolean;
  readonly promptTokens: number | null;
  /** Tokens that the prompt was meant to have, and `max_tokens`; null where no number was asked for. */
  readonly askedPrompt: number | null;
  readonly askedOutput: number | null;
  /** Tokens of the prompt that a cache of the target held, by `usage`. */
  readonly cachedTokens: number | null;
  /** Conversation and turn of it, from 1; null where it belongs to none, and in older records. */
  readonly session: number | null;
  readonly turn: number | null;
  readonly outputTokens: number | null;
  /** Token count derived from chunks because the server reported none. */
  readonly tokensEstimated: boolean;
  /** Output tokens by usage that no arrival of the stream carried, such as thoughts that are not sent; null: nobody knows how many. */
  readonly hiddenTokens: number | null;
  /** Network reads that brought content. */
  readonly arrivals: number;
  /** When each of them came; of streams beyond what a ledger has room for (`createRecordStore`) the first alone. */
  readonly groups: readonly ArrivalGroup[];
  /** Longest time between two arrivals; null with fewer than two. */
  readonly longestGapMs: number | null;
  /** Median time between two arrivals; kept for streams that came in clumps (`leastEventsOfClump`) only. */
  readonly middleGapMs: number | null;
  readonly contentEvents: number;
  readonly tpotMs: number | null;
  readonly tpotEstimated: boolean;
  /** Null: no stream was asked for, or something else came. */
  readonly stream: StreamFacts | null;
  readonly serverTimings: ServerTimings | null;
  readonly reusedConnection: boolean | null;
  /** Number of the connection, of the worker that sent it; null where there was none. */
  readonly connection: number | null;
}

/** The facts that the detectors of stream honesty look at. */
export interface StreamFacts {
  readonly done: boolean;
  readonly finished: boolean;
  readonly broken: boolean;
  readonly continuousUsage: boolean;
  /** Its events have a form of their own, so that nobody knows which of them hold content. Records of earlier versions lack it. */
  readonly ownForm?: boolean;
}

export interface RecordContext {
  readonly endpoint: WorkloadEndpoint;
  readonly label: string;
  readonly phase: LoadRecord["phase"];
  readonly step: number;
  /** Of the logical request: that of the first attempt. */
  readonly intendedMs: number;
  readonly issuedMs: number;
  readonly slo: ServiceLevel;
  /** Streams of this target have the form of the convention: one before it had. */
  readonly isFormKnown?: boolean;
  readonly askedPrompt?: number | null;
  readonly askedOutput?: number | null;
  readonly session?: number | null;
  readonly turn?: number | null;
  /** Its client goes away on purpose. */
  readonly leaves?: boolean;
  /** Attempts before this one that a closed idle connection swallowed. */
  readonly races?: number;
}
