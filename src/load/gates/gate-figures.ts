import type { LoadMetric } from "../../core/result/load-figures.ts";
import type { ObservationId } from "../profile/observation-ids.ts";
import type { GateFigure } from "../profile/gate.ts";

/** A figure that a gate may bound: `docs/profiles.md` and `assay explain` show what it means. */
export interface GateFigureEntry {
  /** As written in a gate. */
  readonly name: string;
  /** The part after the name: a statistic such as `p95`, or nothing. */
  readonly statistics: boolean;
  /** The unit of the bound. */
  readonly unit: "time" | "tokens a second" | "a second" | "fraction" | "count";
  readonly meaning: string;
}

/** Figures with statistics: latencies, and one speed. */
export const distributions: readonly (readonly [name: string, metric: LoadMetric, meaning: string])[] = [
  [
    "dispatch_delay",
    "dispatch-delay",
    "from the planned instant of a request to the instant it was sent: delay of the generator and of connecting",
  ],
  ["ttfb", "ttfb", "time to first byte: from sending to the first byte of the body"],
  ["ttfe", "ttfe", "from sending to the first event of a stream, of any kind"],
  ["ttft", "ttft", "time to first token: from sending to the first event with content, reasoning or a tool call"],
  ["ttfo", "ttfo", "time to first output: from sending to the first content or tool call, reasoning left out"],
  ["inter_chunk", "inter-chunk", "between two arrivals of one stream; chunks of one network read are one arrival"],
  ["inter_token", "inter-token", "inter_chunk divided by the tokens of the arrival"],
  [
    "tpot",
    "tpot",
    "time per output token: from the first token to the last content, divided by the tokens after the first arrival",
  ],
  ["longest_stall", "longest-stall", "the longest gap between two arrivals of one stream"],
  ["service_latency", "service-latency", "from sending to the last content of a stream, or to the last byte of another answer"],
  ["user_latency", "user-latency", "from the planned instant to the same end: what a user waits"],
  ["tokens_per_second", "tokens-per-second", "output tokens of an answer divided by its service_latency"],
];

type NameOf<Kind extends GateFigure["kind"]> = Extract<GateFigure, { kind: Kind; name: string }>["name"];

export const fractions: Readonly<Record<NameOf<"fraction">, string>> = {
  error_rate:
    "errors (4xx except refusals for a limit, 5xx, broken streams, transport errors) among all answered and given up; open as far as requests were given up",
  timeout_rate: "requests that were not finished within timeoutSeconds of the profile among all answered and given up",
  reject_rate: "refusals with 429 among all answered requests",
  dropped_rate: "requests that were not sent among all planned requests",
  goodput: "answers that meet every bound of slo among all planned requests, sent or not",
};

export const rates: Readonly<Record<NameOf<"rate">, string>> = {
  ok_rate: "successful answers",
  achieved_rate: "requests sent, without retries",
  goodput_rate: "answers that meet every bound of slo",
  output_tokens_rate: "output tokens of all answers",
};

export const counts: Readonly<Record<NameOf<"count">, string>> = {
  errors: "number of what error_rate counts",
  rejects: "number of what reject_rate counts",
  requests: "number of planned requests, sent or not, without retries",
  retries: "number of requests that were sent again after 429, 500, 502 or 503",
};

export const limitCounts: Readonly<Record<NameOf<"limits">, string>> = {
  over_admission: "checks of over-admission that the traffic of this profile violated",
  violations: "limit checks that the traffic of this profile violated",
};

const observations: Readonly<Record<ObservationId, string>> = {
  buffered: "streams whose content came in at most two reads, in the last fiftieth of 100 ms or more: something buffers them",
  fake: "streams with many reads that came faster than 2,000 chunks a second, after the whole wait",
  "generated-whole": "streams whose time to first token grows with the length of the answer: generated whole, then streamed",
  clumped: "streams with three chunks or more in one read, and 20 ms or more between reads",
  "early-role": "streams with an empty event long before the first token",
  queued: "streams whose head waited for other requests: a queue or limiter in front of the model",
  "broken-framing": "streams with data that is not a JSON object",
  unfinished: "streams without a finish reason and without [DONE]",
  "no-token": "streams without content",
  "closes-connections": "connections that the target closed while they were used again",
  "kept-slots": "requests that waited because clients before them had gone away (leave of the workload): their slots stay taken",
  "response-cache": "prompts that were asked again and answered from a cache of responses (cacheAudit of the profile)",
  "timed-out": "requests that were not finished within timeoutSeconds of the profile",
  interrupted: "answers that the generator cut off at the end of the profile",
};

/** Every figure, in the order in which the documents show them. */
export const gateFigures: readonly GateFigureEntry[] = [
  ...distributions.map(([name, metric, meaning]): GateFigureEntry => {
    return { name, statistics: true, unit: metric === "tokens-per-second" ? "tokens a second" : "time", meaning };
  }),
  ...figures("fraction", fractions),
  ...figures("a second", rates),
  ...figures("count", counts),
  ...figures("count", { capacity: "the highest level that a search for capacity finds, in requests a second or in flight" }),
  ...figures("count", limitCounts, "limits."),
  ...figures("count", observations, "observations."),
];

function figures(
  unit: GateFigureEntry["unit"],
  meanings: Readonly<Record<string, string>>,
  prefix = "",
): readonly GateFigureEntry[] {
  return Object.entries(meanings).map(([name, meaning]) => ({ name: `${prefix}${name}`, statistics: false, unit, meaning }));
}
