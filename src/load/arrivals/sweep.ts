import type { LoadStep } from "../../core/result/load-result.ts";
import type { ArrivalKind, TryLevel } from "./arrival-kind.ts";
import type { SearchTrial } from "../capacity/search-trial.ts";
import { loopLevels } from "./loop-levels.ts";
import { rateLevels } from "./rate-levels.ts";

export const sweepKind: ArrivalKind<"sweep"> = {
  defaults: { gaps: "poisson" },
  shape: ({ ratesPerSecond, secondsPerRate, gaps }) => {
    const trials = trialsOf(ratesPerSecond, secondsPerRate);
    return {
      name: "search",
      levels: rateLevels(gaps),
      plannedTrials: trials,
      worstTrials: trials,
      mostSeconds: ratesPerSecond.length * secondsPerRate,
      mostTrials: trials.length,
      describe: () => `sweep ${ratesPerSecond.map((rate) => `${rate}/s`).join(", ")}, ${secondsPerRate} s each`,
      contradictions: () => unlessRising(ratesPerSecond, "ratesPerSecond", "the rates must rise"),
      search: (tryLevel) => rise(trials, tryLevel),
    };
  },
};

export const concurrencySweepKind: ArrivalKind<"concurrency-sweep"> = {
  defaults: {},
  shape: ({ concurrencies, secondsPerLevel }) => {
    const trials = trialsOf(concurrencies, secondsPerLevel);
    return {
      name: "search",
      levels: loopLevels,
      plannedTrials: trials,
      worstTrials: trials,
      mostSeconds: concurrencies.length * secondsPerLevel,
      mostTrials: trials.length,
      needsNoServiceLevel: true,
      describe: () => `sweep of ${concurrencies.join(", ")} requests in flight, ${secondsPerLevel} s each`,
      contradictions: () => unlessRising(concurrencies, "concurrencies", "the numbers must rise"),
      search: (tryLevel) => goThrough(trials, tryLevel),
    };
  },
};

function trialsOf(levels: readonly number[], seconds: number): readonly SearchTrial[] {
  return levels.map((level) => ({ level, seconds }));
}

function unlessRising(
  levels: readonly number[],
  member: string,
  message: string,
): readonly { readonly path: readonly string[]; readonly message: string }[] {
  const falls = levels.some((level, index) => level <= (levels[index - 1] ?? 0));
  return falls ? [{ path: ["arrivals", member], message }] : [];
}

/** Rises until two levels in a row miss the service level. */
async function rise(trials: readonly SearchTrial[], tryLevel: TryLevel): Promise<readonly LoadStep[]> {
  const steps: LoadStep[] = [];
  for (const [index, trial] of trials.entries()) {
    const step = await tryLevel(trial, index);
    if (step === null) break;
    steps.push(step);
    // More requests a second are easier to judge, but no easier to send.
    if (step.verdict === "inconclusive" && step.limitedBy !== "samples") break;
    if (step.verdict === "fail" && steps.at(-2)?.verdict === "fail") break;
  }
  return steps;
}

/** All levels: a curve is wanted, also beyond the knee. */
async function goThrough(trials: readonly SearchTrial[], tryLevel: TryLevel): Promise<readonly LoadStep[]> {
  const steps: LoadStep[] = [];
  for (const [index, trial] of trials.entries()) {
    const step = await tryLevel(trial, index);
    if (step === null) break;
    steps.push(step);
  }
  return steps;
}
