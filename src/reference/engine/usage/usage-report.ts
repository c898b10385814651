/** Query of GET /v1/usage; the window is [fromMs, toMs). */
export interface UsageQuery {
  readonly fromMs: number;
  readonly toMs: number;
  /** undefined: the default, day. */
  readonly granularity?: Granularity | undefined;
}

export type Granularity = "hour" | "day" | "month";

/** Body of the response, as written. Member types are wider than the specification allows, for patches (`UsageRules`). */
export interface UsageReport {
  readonly object: "list";
  readonly data: readonly UsageBucket[];
  readonly aggregate: { readonly total_tokens: number; readonly total_cost_usd: number };
}

export interface UsageBucket {
  /** Start of the bucket in UTC, ISO 8601. */
  readonly timestamp: string | number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly cost_usd: number | string;
}
