import type { LoadMetric } from "../../core/result/load-figures.ts";
import type { Contradiction } from "../profile/contradiction.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { Gate } from "./gate.ts";

/** Gates on figures that this profile cannot give: they would never be judged, or could never fail. */
export function findGateProblems(profile: Pick<LoadProfile, "gates" | "workload" | "retry">): readonly Contradiction[] {
  return profile.gates.flatMap((gate, index) => {
    const problem = problemOf(gate, profile);
    return problem === null ? [] : [{ path: ["gates", String(index)], message: `"${gate.expression}": ${problem}` }];
  });
}

/** Measured on streams alone. */
const streamMetrics: ReadonlySet<LoadMetric> = new Set<LoadMetric>([
  "ttfe",
  "ttft",
  "ttfo",
  "tpot",
  "inter-chunk",
  "inter-token",
  "longest-stall",
  "tokens-per-second",
]);

function problemOf({ endpoint, figure }: Gate, { workload, retry }: Pick<LoadProfile, "workload" | "retry">): string | null {
  const endpoints = [...new Set(workload.map((item) => item.endpoint))];
  const within = workload.filter((item) => endpoint === null || item.endpoint === endpoint);
  if (within.length === 0) return `the workload holds no ${endpoint}, only ${endpoints.join(", ")}; add it or name another`;
  const streams = within.some((item) => item.endpoint === "chat" && item.stream);
  const needsStreams =
    figure.kind === "observation"
      ? figure.id !== "closes-connections"
      : (figure.kind === "percentile" || figure.kind === "moment") && streamMetrics.has(figure.metric);
  if (needsStreams && !streams) {
    return "only streamed chat gives this figure, and the workload holds none; add `{ endpoint: chat, stream: true }` or take user_latency";
  }
  if (figure.kind === "rate" && figure.name === "output_tokens_rate" && !within.some((item) => item.endpoint === "chat")) {
    return "only chat gives output tokens, and the workload holds none";
  }
  if (figure.kind === "count" && figure.name === "retries" && retry.max === 0) {
    return "this profile sends nothing twice, so that it could never be missed; set `retry.max` or leave the gate out";
  }
  return null;
}
