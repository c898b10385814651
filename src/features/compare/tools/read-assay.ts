import type { LoadProfileResult } from "../../../core/result/load-result.ts";
import type { Result } from "../../../core/result/result.ts";
import { createFigureList, fractionOf } from "./figure-list.ts";
import type { Meaning, Statistic, ToolReport } from "./foreign-report.ts";

const distributions: readonly (readonly [metric: string, Meaning])[] = [
  ["ttft", "first-token"],
  ["ttfe", "first-event"],
  ["tpot", "time-per-token"],
  ["service-latency", "request-latency"],
];
const percentiles: readonly (readonly [number, Statistic])[] = [
  [50, "p50"],
  [90, "p90"],
  [95, "p95"],
  [99, "p99"],
];

/** Each profile of a run of assay, in the terms that other tools share; figures are those of chat completions. */
export function readAssay(result: Result): readonly { readonly id: string; readonly report: ToolReport }[] {
  return (result.load?.profiles ?? []).map((profile) => ({ id: profile.id, report: readProfile(profile, result.tool.version) }));
}

function readProfile(profile: LoadProfileResult, version: string): ToolReport {
  const { add, refuse, report } = createFigureList();
  for (const [metric, meaning] of distributions) {
    const found = profile.distributions.find(
      (each) => each.metric === metric && each.endpoint === "chat" && each.outcome === "ok" && each.phase === "whole",
    );
    if (found === undefined) continue;
    const caveat = found.estimated ? "tokens were counted by chunks" : null;
    add(meaning, "mean", `${metric}.mean`, found.mean, caveat);
    for (const [percentile, statistic] of percentiles) {
      const value = found.percentiles.find((each) => each.percentile === percentile)?.value ?? null;
      add(meaning, statistic, `${metric}.${statistic}`, value, caveat);
    }
  }
  refuse("user-latency", true, "it counts from when a request was due; other tools count from when it was sent");
  refuse("inter-chunk", true, "chunks of one network read are one arrival; other tools count them apart");
  const { outcomes, rates } = profile;
  const ended = Object.entries(outcomes).filter(([outcome]) => outcome !== "not-sent" && outcome !== "interrupted");
  const all = ended.reduce((sum, [, count]) => sum + count, 0);
  const succeeded = outcomes.ok ?? 0;
  add("ok-per-second", "rate", "rates.ok", rates.ok, "over the measured time, warm-up left out");
  add("sent-per-second", "rate", "rates.achieved", rates.achieved, "over the measured time, warm-up left out");
  add("output-tokens-per-second", "rate", "rates.outputTokens", rates.outputTokens, "over the measured time, warm-up left out");
  add("failed-fraction", "fraction", "outcomes", fractionOf(all - succeeded, succeeded));
  const validity = profile.validity.valid ? "" : `, not a valid measurement: ${profile.validity.reasons.join("; ")}`;
  return report("assay", version, `${profile.id}: ${profile.arrivals}, ${profile.workload}${validity}`);
}
