import type { LoadStep } from "../../core/result/load-result.ts";
import type { Arrivals } from "../profile/load-profile.ts";

/** Runs one rate; null when the run was stopped. */
type Probe = (ratePerSecond: number, step: number) => Promise<LoadStep | null>;

/**
 * Looks for the highest rate that meets the service level. A sweep rises until two rates in a row miss it; a bisection
 * halves the interval between the highest rate that held and the lowest that did not, and ends when they are within 5 % or
 * the probes are used up. A rate that the generator could not send (`inconclusive`) ends the search: what lies above cannot be
 * known either. One with too few requests ends a bisection, which needs an answer to go on, and is left behind by a sweep.
 */
export async function searchRates(
  arrivals: Extract<Arrivals, { kind: "sweep" | "bisect" }>,
  probe: Probe,
): Promise<readonly LoadStep[]> {
  return arrivals.kind === "sweep" ? sweep(arrivals.ratesPerSecond, probe) : bisect(arrivals, probe);
}

async function sweep(rates: readonly number[], probe: Probe): Promise<readonly LoadStep[]> {
  const steps: LoadStep[] = [];
  for (const [index, rate] of rates.entries()) {
    const step = await probe(rate, index);
    if (step === null) break;
    steps.push(step);
    // More requests a second are easier to judge, but no easier to send.
    if (step.verdict === "inconclusive" && step.limitedBy !== "samples") break;
    if (step.verdict === "fail" && steps.at(-2)?.verdict === "fail") break;
  }
  return steps;
}

async function bisect(arrivals: Extract<Arrivals, { kind: "bisect" }>, probe: Probe): Promise<readonly LoadStep[]> {
  const steps: LoadStep[] = [];
  const run = async (rate: number): Promise<boolean | null> => {
    const step = await probe(rate, steps.length);
    if (step !== null) steps.push(step);
    return step === null || step.verdict === "inconclusive" ? null : step.verdict === "pass";
  };
  let held = arrivals.lowPerSecond;
  let missed = arrivals.highPerSecond;
  // Without a rate that holds and one that does not there is nothing to halve.
  if ((await run(held)) !== true || arrivals.maxProbes < 2 || (await run(missed)) !== false) return steps;
  while (steps.length < arrivals.maxProbes && missed - held > 0.05 * held) {
    const middle = Math.round(100 * ((held + missed) / 2)) / 100;
    const met = await run(middle);
    if (met === null) break;
    if (met) held = middle;
    else missed = middle;
  }
  return steps;
}
