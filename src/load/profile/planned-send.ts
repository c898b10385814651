import type { ChatMessage } from "./workload-item.ts";

/** A prompt as a row of blocks: where two prompts have the same ids, they have the same text. */
export interface PromptBlocks {
  /** Names: numbers of published traces exceed what a number here holds exactly. */
  readonly ids: readonly string[];
  /** Tokens of a whole block; the last one may be cut. */
  readonly tokens: number;
}

/** One request of the schedule. */
export interface PlannedSend {
  /** From the start of the profile, warm-up included. */
  readonly atMs: number;
  /** Conversation that it belongs to; later turns are sent after the answer, not by the clock. */
  readonly session: number | null;
  readonly turns: number;
  /** Lengths from a trace, else drawn from the workload. */
  readonly promptTokens: number | null;
  readonly outputTokens: number | null;
  /** The blocks of the prompt by a trace; absent if the prompt is drawn. */
  readonly blocks?: PromptBlocks;
  /** The prompt itself, by a trace that holds it. */
  readonly messages?: readonly ChatMessage[];
  /** Entry of the workload that it becomes; absent: drawn by weight. */
  readonly label?: string;
  /** A later turn of a trace: it waits so long after the answer to the one before, and for its own instant. */
  readonly afterMs?: number;
  /** The turns after this one by a trace, as many as `turns` says; absent: they are drawn like this one. */
  readonly later?: readonly PlannedSend[];
  /** Of a conversation, from 1; absent: it is no turn of one. */
  readonly turn?: number;
  /** Step of the arrivals (burst, rate step, spike phase) for tables by step. */
  readonly step: number;
}

/** One request at an instant; what is not given is drawn from the workload. */
export function plannedSend(atMs: number, rest: Partial<PlannedSend> = {}): PlannedSend {
  return { atMs, session: null, turns: 1, promptTokens: null, outputTokens: null, step: 0, ...rest };
}
