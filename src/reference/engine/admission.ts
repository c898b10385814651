import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { KeyRecord } from "./keys/key-record.ts";
import type { LimitRefusal, Refusal } from "./refusal.ts";

/** Answer to the question who is calling. */
export type Identification =
  | { readonly kind: "known"; readonly key: KeyRecord }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/** A valid request that asks to be let in, with the most that it can consume. */
export interface Work {
  readonly endpoint: EndpointId;
  /** Path and query as sent; some defective limiters count by it. */
  readonly rawUrl: string;
  /** Header fields as sent, names in lower case; likewise. */
  readonly fields: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly streaming: boolean;
  readonly promptTokens: number;
  /** Those of the prompt that a cache held. */
  readonly cachedTokens: number;
  /** Upper bound; give the exact number where it is known, because the hold is what others see until `settle`. */
  readonly maxCompletionTokens: number;
  /** `max_tokens` of the request; services that hold an estimate go by it. */
  readonly requestedMaxTokens: number | null;
  /** Upper bound in micro-dollars, likewise (`engine/spend/prices.ts`). */
  readonly maxCostMicros: number;
  /** Aborts when the client goes away: leaves the queue of a cooldown. */
  readonly signal?: AbortSignal;
}

export type Admission =
  | { readonly kind: "admitted"; readonly ticket: Ticket }
  | { readonly kind: "refused"; readonly refusal: LimitRefusal; readonly rateHeaders: RateHeaders }
  /** The client went away while its request was queued: nothing was counted, nobody reads an answer. */
  | { readonly kind: "abandoned" };

/** Right to serve one request. Call `settle` exactly once, whatever happens; later calls do nothing. */
export interface Ticket {
  readonly admittedAtMs: number;
  /** Time spent in the queue of a cooldown. */
  readonly queuedMs: number;
  /**
   * The six x-ratelimit headers for this response. Call it when the response head is written: for a complete response
   * after `settle`, for a stream before its first event.
   */
  rateHeaders(): RateHeaders;
  settle(outcome: Consumption): void;
}

/** The consumption of the request; everything here is billed and appears in the usage report. */
export interface Consumption {
  /** `failed`: 5xx before anything was produced; holds are returned, nothing is billed. */
  readonly ended: "completed" | "aborted" | "failed";
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costMicros: number;
  /** Inputs of an embeddings batch; 1 elsewhere. */
  readonly items?: number;
}

/** Header name to value; six in a correct service. */
export type RateHeaders = Readonly<Record<string, string>>;
