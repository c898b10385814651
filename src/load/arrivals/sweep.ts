import type { LoadStep } from "../../core/result/load-result.ts";
import type { ArrivalKind, RateTrial } from "./arrival-kind.ts";
import { constantRate } from "./arrival-times.ts";
import { plannedSends } from "./planned-sends.ts";

export const sweepKind: ArrivalKind<"sweep"> = {
  defaults: { gaps: "poisson" },
  shape: ({ ratesPerSecond, secondsPerRate, gaps }) => ({
    name: "search",
    secondsPerRate,
    plannedRates: ratesPerSecond,
    worstRates: ratesPerSecond,
    describe: () => `sweep ${ratesPerSecond.map((rate) => `${rate}/s`).join(", ")}, ${secondsPerRate} s each`,
    contradictions: () =>
      ratesPerSecond.some((rate, index) => rate <= (ratesPerSecond[index - 1] ?? 0))
        ? [{ path: ["arrivals", "ratesPerSecond"], message: "the rates must rise" }]
        : [],
    schedule: (rate, step, random) => plannedSends([{ rate: constantRate(rate), seconds: secondsPerRate }], gaps, random, step),
    search: (probe) => sweep(ratesPerSecond, probe),
  }),
};

/** Rises until two rates in a row miss the service level. */
async function sweep(rates: readonly number[], tryRate: RateTrial): Promise<readonly LoadStep[]> {
  const steps: LoadStep[] = [];
  for (const [index, rate] of rates.entries()) {
    const step = await tryRate(rate, index);
    if (step === null) break;
    steps.push(step);
    // More requests a second are easier to judge, but no easier to send.
    if (step.verdict === "inconclusive" && step.limitedBy !== "samples") break;
    if (step.verdict === "fail" && steps.at(-2)?.verdict === "fail") break;
  }
  return steps;
}
