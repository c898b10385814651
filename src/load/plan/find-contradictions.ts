import { endpoints } from "../../core/exchange/endpoint.ts";
import { isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";
import { shapeOf } from "../arrivals/arrival-kinds.ts";
import { leadingGates } from "../gates/leading-gates.ts";
import type { Contradiction } from "../profile/contradiction.ts";
import { limitScenarios } from "../profile/limit-scenarios.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { LoadMetric } from "../../core/result/load-figures.ts";
import type { Gate } from "../profile/gate.ts";

/** A limit is reached only where all of that is permitted, and a cap is crossed by purchases of one price. */
function findScenarioProblems({ limitScenario, needs, workload }: LoadProfile): readonly Contradiction[] {
  if (limitScenario === null) return [];
  const path = ["limitScenario"];
  const scenario = limitScenarios[limitScenario];
  const missing = scenario.needs.filter((need) => !needs.includes(need));
  const isOnePrice = workload.length === 1 && workload[0]?.endpoint === "images";
  const problems = [
    ...(missing.length > 0 ? [`${limitScenario} needs ${missing.join(", ")} below needs`] : []),
    ...(scenario.crossesCap && !isOnePrice
      ? [`${limitScenario} buys one item of images, so that every request costs the same`]
      : []),
  ];
  return problems.map((message) => ({ path, message }));
}

/** Header fields that no value of a conversation may stand in. */
const generatedFields: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "authorization",
  "connection",
  "content-length",
  "content-type",
  "host",
  "transfer-encoding",
  "user-agent",
]);

/** Why a value that is new in each conversation may not stand in this field; null: it may. */
function whyNoSession(header: string): string | null {
  const name = header.toLowerCase();
  if (generatedFields.has(name)) return "assay writes this header itself: take another name";
  return secretFields.test(name)
    ? "a header of this name carries a key or a cookie, which the value of a conversation would replace: take another name"
    : null;
}

/** Fields in which credentials stand, by their names: `proxy-authorization`, `x-api-key`, `x-amz-security-token`. */
const secretFields =
  /authorization|authenticat|cookie|credential|password|secret|signature|(?:^|-)auth(?:-|$)|(?:^|-)(?:api-?key|key|token)$/;

/** Contradictions between members that a schema cannot state. */
export function findContradictions(profile: LoadProfile): readonly Contradiction[] {
  const shape = shapeOf(profile.arrivals);
  const problems: Contradiction[] = [
    ...findGateProblems(profile),
    ...findScenarioProblems(profile),
    ...(shape.contradictions?.(profile) ?? []),
  ];
  const report = (message: string, ...path: readonly string[]): void => {
    problems.push({ path, message });
  };
  const { ttftMs, tpotMs, userLatencyMs } = profile.slo;
  const isBare = ttftMs === null && tpotMs === null && userLatencyMs === null;
  const leading = leadingGates(profile);
  if (shape.name === "search" && leading === null && isBare && shape.needsNoServiceLevel !== true) {
    report("a search for the highest rate needs a service level", "slo");
  }
  if (leading?.length === 0)
    report(
      "a search for capacity needs a gate on a share of requests, such as `ttft.p95 < 800ms`, or a service level (slo)",
      "gates",
    );
  problems.push(...findUnledGates(profile));
  // It has no budget and sees a stream as one long answer.
  const free = profile.workload.length === 1 && profile.workload.every((item) => !endpoints[item.endpoint].billable);
  if (profile.engine === "autocannon" && (shape.name !== "loop" || !free)) {
    report("autocannon drives closed loops of one endpoint that costs nothing (models, usage), nothing else", "engine");
  }
  if (profile.probe !== undefined && profile.limitScenario !== null && limitScenarios[profile.limitScenario].crossesCap)
    report("a probe spends money of the account whose cap is measured: leave one of them out", "probe");
  if (profile.cacheAudit && !profile.workload.some(({ endpoint }) => endpoint === "chat"))
    report("only chat can be asked whether it is answered from a cache of responses", "cacheAudit");
  for (const [index, item] of profile.workload.entries()) {
    const refusal = item.endpoint === "chat" && item.sessionHeader !== undefined ? whyNoSession(item.sessionHeader) : null;
    if (refusal !== null) report(refusal, "workload", String(index), "sessionHeader");
    if (item.endpoint === "chat" && item.leave !== undefined && !item.stream)
      report("clients leave streams: `stream: false` has none", "workload", String(index), "leave");
    for (const [member, distribution] of Object.entries<unknown>(item)) {
      if (isJsonObject(distribution) && Number(distribution["min"]) > Number(distribution["max"])) {
        report("min is above max", "workload", String(index), member);
      }
    }
  }
  return problems;
}

/** A search is led by shares of requests alone; the level that it finds is bounded by `capacity`, which nothing else has. */
function findUnledGates(profile: LoadProfile): readonly Contradiction[] {
  const leading = leadingGates(profile);
  return profile.gates.flatMap((gate, index) => {
    const isCapacity = gate.figure.kind === "capacity";
    if (leading === null ? !isCapacity : isCapacity || leading.includes(gate)) return [];
    const problem = isCapacity
      ? "only a search (arrivals of kind capacity-search) finds a capacity"
      : "a search is led by percentiles of a figure that each request has once, and by rates between 0 and 100 %";
    return [{ path: ["gates", String(index)], message: `"${gate.expression}": ${problem}` }];
  });
}

/** Gates on figures that this profile cannot give: they would never be judged, or could never fail. */
function findGateProblems(profile: Pick<LoadProfile, "gates" | "workload" | "retry">): readonly Contradiction[] {
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
