/** Figures of a load test that some tool wrote, each under what it means and not under what the tool calls it. */
export interface ToolReport {
  /** `vLLM bench`, `assay` ... */
  readonly tool: string;
  readonly version: string | null;
  /** The load that was sent, as far as the file says it; for reading. */
  readonly load: string;
  readonly figures: readonly ToolFigure[];
  /** The figures of the file that cannot be compared with another tool's, with the reason. */
  readonly refused: readonly { readonly figure: string; readonly reason: string }[];
}

export interface ToolFigure {
  readonly meaning: Meaning;
  readonly statistic: Statistic;
  /** In the unit of the meaning. */
  readonly value: number;
  /** Name in the file. */
  readonly source: string;
  /** How it may differ from the same figure of another tool. */
  readonly caveat: string | null;
}

export type Statistic = "mean" | "p50" | "p90" | "p95" | "p99" | "rate" | "fraction";

/** Two figures may be compared only when they are of one meaning. */
export type Meaning = keyof typeof meanings;

export const meanings = {
  "first-token": { unit: "ms", text: "from sending a request to its first event with content, successes only" },
  "first-event": { unit: "ms", text: "from sending a request to its first event, with or without content, successes only" },
  "time-per-token": { unit: "ms", text: "mean time of a request for each token after the first, each request counted once" },
  "request-latency": { unit: "ms", text: "from sending a request to the end of its answer, successes only" },
  "ok-per-second": { unit: "/s", text: "successful answers a second of the measured time" },
  "sent-per-second": { unit: "/s", text: "requests that were sent, a second of the measured time" },
  "output-tokens-per-second": { unit: "tokens/s", text: "output tokens of successful answers a second of the measured time" },
  "failed-fraction": { unit: "fraction", text: "requests that got no success, refusals included, over all that ended" },
} as const;
