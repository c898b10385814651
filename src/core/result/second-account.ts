/** Client minus server, from the Server-Timing field or llama.cpp `timings`. */
export interface ServerTruth {
  readonly source: "server-timing" | "llama.cpp";
  readonly samples: number;
  /** Time to first token less queue and prefill. */
  readonly firstTokenDifferenceMs: ServerDifference | null;
  /** First to last content event less decode time. */
  readonly decodeDifferenceMs: ServerDifference | null;
  /** First tokens that came earlier than the server says it had them. */
  readonly impossible: number;
}

/** Percentiles are null below the sample floor. */
export interface ServerDifference {
  readonly p50: number | null;
  readonly p99: number | null;
  /** Largest of all, and out of how many. Absent in older results. */
  readonly max?: number;
  readonly samples?: number;
}

/** Token counts of the target compared with ours for one profile. No verdict: other traffic of the account counts there too. */
export interface UsageCheck {
  /** Sum of `usage` over all answers of the profile, warm-up included; null when an answer reported none. */
  readonly ours: number | null;
  /** Growth of the reported total; null when the report could not be read. */
  readonly reported: number | null;
  readonly outcome: "agrees" | "reported-less" | "reported-more" | "not-comparable";
  readonly message: string;
  /** Clients that went before their answer had stated its usage, and the tokens that the report grew by beyond the answers. */
  readonly left?: { readonly clients: number; readonly tokens: number };
}

/** Throughput of another generator against the same target, fenced by what it is known to get wrong. */
export interface CrossCheck {
  readonly tool: "autocannon";
  readonly connections: number;
  readonly seconds: number;
  /** The requests that it sent; counted in the budget. */
  readonly requests?: number;
  readonly requestsPerSecond: number;
  /** Whole milliseconds by its nature; null when its own figures contradict each other. */
  readonly meanLatencyMs: number | null;
  readonly errors: number;
  readonly non2xx: number;
  /** Our engine's rate over the same number of connections, and its share of the other's. */
  readonly ourRequestsPerSecond: number;
  readonly ratio: number | null;
  /** Detectors that fired: `little`, `lost-requests`, `ended-by-budget`. */
  readonly problems: readonly string[];
}
