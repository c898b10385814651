import type { LoadMetric, PercentileEstimate } from "../../../core/result/load-figures.ts";
import type { LoadProfileResult } from "../../../core/result/load-result.ts";
import type { Result } from "../../../core/result/result.ts";

export interface FollowedLatency {
  readonly profile: string;
  readonly endpoint: string;
  readonly metric: LoadMetric;
  readonly percentile: number;
  /** By run, oldest first; null: not measured, not validly, or of too few samples. */
  readonly points: readonly (Pick<PercentileEstimate, "value" | "low" | "high"> | null)[];
}

const metrics: readonly LoadMetric[] = ["user-latency", "ttft", "tpot"];

/**
 * Latencies of successes over the runs. Profiles are one series only where they send the same: one of another content under the same
 * name begins a series of its own.
 */
export function followLatencies(results: readonly Result[]): readonly FollowedLatency[] {
  const profiles = results.map(({ load }) => (load?.profiles ?? []).filter(({ validity }) => validity.valid));
  const kinds = new Map(profiles.flat().map((profile) => [keyOf(profile), profile]));
  return [...kinds].flatMap(([key, { id, distributions }]) => {
    const endpoints = [...new Set(distributions.map(({ endpoint }) => endpoint))];
    return endpoints.flatMap((endpoint) =>
      metrics.flatMap((metric) => {
        const estimates = profiles.map((own) => {
          const profile = own.find((each) => keyOf(each) === key);
          return (
            profile?.distributions.find(
              (each) => each.metric === metric && each.endpoint === endpoint && each.outcome === "ok" && each.phase === "whole",
            )?.percentiles ?? []
          );
        });
        // The highest percentile that most runs have a value of.
        const percentile = [95, 50].find(
          (wanted) =>
            estimates.filter((each) => valueAt(each, wanted) !== null).length * 2 >
            estimates.filter((each) => each.length > 0).length,
        );
        if (percentile === undefined) return [];
        return [{ profile: id, endpoint, metric, percentile, points: estimates.map((each) => valueAt(each, percentile)) }];
      }),
    );
  });
}

function keyOf({ id, content }: LoadProfileResult): string {
  return JSON.stringify([id, content ?? null]);
}

function valueAt(estimates: readonly PercentileEstimate[], percentile: number): FollowedLatency["points"][number] {
  const found = estimates.find((each) => each.percentile === percentile);
  return found === undefined || found.value === null ? null : { value: found.value, low: found.low, high: found.high };
}
