import type { LoadStep } from "../../core/result/load-result.ts";
import type { ArrivalKind, ArrivalsOf, TryLevel } from "./arrival-kind.ts";
import { rateLevels } from "./rate-levels.ts";

export const bisectKind: ArrivalKind<"bisect"> = {
  defaults: { gaps: "poisson", maxProbes: 8 },
  shape: (arrivals) => ({
    name: "search",
    plannedTrials: [{ level: arrivals.lowPerSecond, seconds: arrivals.secondsPerProbe }],
    // None is above the highest, and the same draws at a higher rate give no fewer sends.
    worstTrials: Array.from({ length: arrivals.maxProbes }, () => ({
      level: arrivals.highPerSecond,
      seconds: arrivals.secondsPerProbe,
    })),
    mostSeconds: arrivals.maxProbes * arrivals.secondsPerProbe,
    mostTrials: arrivals.maxProbes,
    describe: () =>
      `bisection of ${arrivals.lowPerSecond}/s to ${arrivals.highPerSecond}/s, ${arrivals.secondsPerProbe} s a probe`,
    contradictions: () =>
      arrivals.lowPerSecond >= arrivals.highPerSecond
        ? [{ path: ["arrivals", "lowPerSecond"], message: "must be below highPerSecond" }]
        : [],
    levels: rateLevels(arrivals.gaps),
    search: (probe) => bisect(arrivals, probe),
  }),
};

/**
 * Halves the interval between the highest rate that held and the lowest that did not, and ends when they are within 5 % or the
 * probes are used up. It needs an answer to go on, so that a rate with too few requests ends it as well.
 */
async function bisect(arrivals: ArrivalsOf<"bisect">, tryLevel: TryLevel): Promise<readonly LoadStep[]> {
  const steps: LoadStep[] = [];
  const run = async (rate: number): Promise<boolean | null> => {
    const step = await tryLevel({ level: rate, seconds: arrivals.secondsPerProbe }, steps.length);
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
