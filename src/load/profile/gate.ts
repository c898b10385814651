import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { LimitFigures } from "../../core/limit-figures.ts";
import type { LoadMetric } from "../../core/result/load-figures.ts";
import type { ObservationId } from "./observation-ids.ts";

/** A bound on a figure of a profile, read from text such as `chat.ttft.p95 < 800ms`. */
export interface Gate {
  /** Its figure as it is written: `chat.ttft.p95`, `ttft.p90[prompt<6000]`. */
  readonly id: string;
  readonly expression: string;
  /** null: every endpoint of the workload that has the metric; the worst one decides. */
  readonly endpoint: EndpointId | null;
  readonly figure: GateFigure;
  /** All of these hold for the requests that it is about; absent: it is about every request. */
  readonly where?: readonly GateCondition[];
  readonly operator: GateOperator;
  /** In milliseconds, tokens per second, requests per second, a fraction, or a count. */
  readonly bound: number;
  readonly unit: GateUnit;
}

/** A property of a request: `labels` are those that a label or a model of the workload comes to. */
export type GateCondition =
  | { readonly member: "label" | "model"; readonly isEqual: boolean; readonly value: string }
  | { readonly member: "labels"; readonly labels: readonly string[] }
  | { readonly member: "prompt"; readonly operator: "<" | "<=" | ">" | ">="; readonly tokens: number };

export type GateFigure =
  | { readonly kind: "percentile"; readonly metric: LoadMetric; readonly percentile: number }
  | { readonly kind: "moment"; readonly metric: LoadMetric; readonly which: "mean" | "min" | "max" }
  | { readonly kind: "fraction"; readonly name: "error_rate" | "timeout_rate" | "reject_rate" | "goodput" | "dropped_rate" }
  | { readonly kind: "rate"; readonly name: "ok_rate" | "achieved_rate" | "goodput_rate" | "output_tokens_rate" }
  | { readonly kind: "count"; readonly name: "errors" | "rejects" | "requests" | "retries" }
  /** Observation of stream honesty: `observations.buffered`. */
  | { readonly kind: "observation"; readonly id: ObservationId }
  /** The highest level that a search found, in requests a second or in flight. */
  | { readonly kind: "capacity" }
  /** Counted by the limit judges: `limits.over_admission`, `limits.violations`. */
  | { readonly kind: "limits"; readonly name: keyof LimitFigures };

export type GateOperator = "<" | "<=" | ">" | ">=" | "==" | "!=";
export type GateUnit = "ms" | "tokens/s" | "/s" | "fraction" | "count";
