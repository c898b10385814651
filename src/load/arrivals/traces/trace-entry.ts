import type { ChatMessage } from "../../profile/workload-item.ts";
import type { PromptBlocks } from "../../profile/planned-send.ts";

/** One request of a recorded trace. */
export interface TraceEntry {
  /** From the first request of the trace; of a later turn, no earlier than this. */
  readonly atMs: number;
  readonly promptTokens: number | null;
  readonly outputTokens: number | null;
  /** The parts of the prompt, if the trace reports them. */
  readonly blocks?: PromptBlocks;
  /** The prompt itself, if the trace holds it. */
  readonly messages?: readonly ChatMessage[];
  /** Conversation; its rows are sent one after the other, each after the answer to the one before. */
  readonly session?: string;
  /** A later turn waits so long after the answer to the one before. */
  readonly afterMs?: number;
  /** Entry of the workload that it becomes. */
  readonly label?: string;
}

/** The rows of a file before they are sorted, and the lines that are wrong. */
export interface ReadRows {
  readonly entries: readonly TraceEntry[];
  readonly problems: readonly string[];
}

export interface TraceOptions {
  /** Tokens of a block that an id of a Mooncake trace stands for. */
  readonly blockTokens: number;
  /** Unit of `timestamp` and `delay` of a Mooncake trace; null: milliseconds, and fractions of one are refused. */
  readonly timeUnit: "ms" | "s" | null;
}
