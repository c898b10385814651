import type { LoadDistribution } from "../../core/result/load-figures.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import type { ProbeAsk, ProbeOperation, ProbeResult } from "../../core/result/probe-result.ts";
import { countOf, formatCount, formatMs } from "./format-number.ts";
import { limitCheckWords } from "./limit-check-words.ts";

/** `key secondary: 15 of 15 answered, 41 requirements judged, none violated; chat p50 12 ms (load 95 ms)`; empty where there is no probe. */
export function probeWords(profile: LoadProfileResult): string {
  const { probe } = profile;
  if (probe === undefined) return "";
  const times = probe.operations.flatMap((operation) => {
    const figure = operation.ttftMs ?? operation.latencyMs;
    if (figure === null) return [];
    const name = `${probeAskNames[operation.operation]}${operation.ttftMs === null ? "" : " to the first token"}`;
    const beside = latencyOfLoad(profile, operation, operation.ttftMs === null ? "user-latency" : "ttft");
    return [`${name} p50 ${formatMs(figure.median)}${beside === null ? "" : ` (load ${formatMs(beside)})`}`];
  });
  return [probeCounts(probe), ...(times.length === 0 ? [] : [times.join(", ")])].join("; ");
}

/** Its answers and what was judged of them. */
export function probeCounts({
  key,
  sent,
  silentSeconds,
  answered,
  requirements,
  violated,
  verdict,
  reason,
  operations,
  limitChecks,
}: ProbeResult): string {
  const refused = operations.reduce((sum, operation) => sum + operation.refused, 0);
  const parts = [
    `key ${key}: ${formatCount(answered)} of ${formatCount(sent)} answered`,
    ...(silentSeconds === undefined ? [] : [`nothing sent in the last ${formatCount(silentSeconds)} s of the load`]),
    ...(refused === 0 ? [] : [`${formatCount(refused)} refused with 429`]),
    verdict === "inconclusive"
      ? `not judged: ${reason}`
      : `${countOf(requirements, "requirement")} judged, ${violated.length === 0 ? "none" : violated.join(", ")} violated`,
    ...(limitChecks.length === 0 ? [] : [`limits: ${limitCheckWords(limitChecks)}`]),
  ];
  return parts.join(", ");
}

export const probeAskNames: Readonly<Record<ProbeAsk, string>> = {
  models: "models",
  chat: "chat",
  "chat-stream": "chat stream",
  error: "chat without messages",
};

/** Median of the load on the same endpoint, which may send longer prompts; null where it has none. */
export function latencyOfLoad(
  { distributions }: LoadProfileResult,
  { operation }: Pick<ProbeOperation, "operation">,
  metric: LoadDistribution["metric"],
): number | null {
  if (operation === "error") return null;
  const endpoint = operation === "models" ? "models" : "chat";
  const found = distributions.find(
    (each) => each.metric === metric && each.endpoint === endpoint && each.outcome === "ok" && each.phase === "whole",
  );
  return found?.percentiles.find(({ percentile }) => percentile === 50)?.value ?? null;
}
