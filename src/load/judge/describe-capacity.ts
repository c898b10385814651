import type { CapacityResult, LoadStep } from "../../core/result/load-result.ts";
import { shapeOf } from "../arrivals/arrival-kinds.ts";
import type { SearchTrial } from "../capacity/search-trial.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import { capacityTrial } from "../capacity/capacity-trial.ts";
import { fitCapacity } from "../capacity/fit-capacity.ts";
import { neededRequests } from "../capacity/needed-requests.ts";
import type { CapacityStop } from "../capacity/next-trial.ts";
import { uncountedGate } from "../capacity/uncounted-gate.ts";

/** The result of a search for capacity from its trials; null: the profile is no such search. */
export function describeCapacity({ arrivals }: Pick<LoadProfile, "arrivals">, steps: readonly LoadStep[]): CapacityResult | null {
  const shape = shapeOf(arrivals);
  if (shape.name !== "search" || shape.nextTrial === undefined || shape.precision === undefined) return null;
  const trials = steps.map(capacityTrial).filter(({ isLate }) => !isLate);
  const { of } = shape.levels;
  const requests = steps.reduce((sum, step) => sum + (step.requests ?? 0), 0);
  const spent = { of, trials: steps.length, requests };
  const unseen = uncountedGate(trials);
  const stop = stopOf(shape.nextTrial(steps));
  if (trials.length === 0 || unseen !== null) {
    const reason = `capacity: unknown; ${unseen === null ? words[stop] : `no request gave a figure for ${unseen}`}`;
    return { ...spent, value: null, low: null, high: null, stop, needed: null, reason, limitedBy: null, curve: [] };
  }
  const fit = fitCapacity(trials);
  const gate = trials[0]?.counts[fit.limitedBy]?.gate ?? null;
  const round = (level: number): number => (of === "concurrency" ? Math.floor(level + 1e-9) : Number(level.toPrecision(3)));
  const found =
    fit.side === "below"
      ? { value: null, low: null, high: null }
      : { value: round(fit.value), low: round(fit.low), high: fit.side === "above" ? null : round(fit.high) };
  const { precision } = shape;
  const isUsedUp = fit.side === "between" && (stop === "requests" || stop === "seconds");
  const needed = isUsedUp ? neededRequests(fit, { requests, precision }) : null;
  const percent = Number((100 * precision).toPrecision(3));
  const more = needed === null ? "" : `; an interval within ${percent} % needs about ${needed} requests`;
  return {
    ...spent,
    ...found,
    stop,
    needed,
    reason: `${describeLevel(found, of, gate)}; ${steps.length} trials, ${requests} requests; ${words[stop]}${more}`,
    limitedBy: fit.side === "above" ? null : gate,
    curve: fit.curve.flatMap(({ from, to, share, weight }) =>
      (from === to ? [from] : [from, to]).map((level) => ({ level, share, requests: weight })),
    ),
  };
}

function stopOf(next: SearchTrial | CapacityStop): CapacityResult["stop"] {
  return typeof next === "string" ? next : "ended";
}

const words: Readonly<Record<CapacityResult["stop"], string>> = {
  narrow: "ended because the interval is narrow enough",
  requests: "ended because the requests of the search are used up",
  seconds: "ended because the time of the search is used up",
  above: "ended because every level that may be tried holds",
  below: "ended because the lowest level that may be tried does not hold",
  generator: "ended because this machine could not send more",
  unseen: "ended because no request gives a figure for a gate",
  ended: "ended early",
};

function describeLevel(
  { value, low, high }: Pick<CapacityResult, "value" | "low" | "high">,
  of: CapacityResult["of"],
  gate: string | null,
): string {
  const unit = of === "rate" ? "requests/s" : "requests in flight";
  if (value === null) return `capacity: none, ${gate ?? "the service level"} is missed at the lowest level`;
  if (high === null) return `capacity: at least ${value} ${unit}`;
  return `capacity: ${value} ${unit} (95 % interval ${low} to ${high}), limited by ${gate ?? "the service level"}`;
}
