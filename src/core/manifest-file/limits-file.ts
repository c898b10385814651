import type { PositiveInteger } from "./positive-integer.ts";

export interface LimitsFile {
  /** a positive integer: requests per minute that the target declares, or null: read from its headers */
  readonly requestsPerMinute?: PositiveInteger | null;
  /** a positive integer: tokens per minute that the target declares, or null: read from its headers */
  readonly tokensPerMinute?: PositiveInteger | null;
  /** fixed-window, sliding-log, sliding-counter, token-bucket, batch-refill or null: how the request limit counts */
  readonly algorithm?: "fixed-window" | "sliding-log" | "sliding-counter" | "token-bucket" | "batch-refill" | null;
  /** queue, reject or unknown: what happens to requests during a cooldown */
  readonly queueing?: "queue" | "reject" | "unknown";
  /** models, usage, chat, embeddings or transcriptions: the endpoint whose request limit is examined in depth */
  readonly endpoint?: "models" | "usage" | "chat" | "embeddings" | "transcriptions";
}
