import { type CapacityBounds, nextOf } from "../capacity/next-trial.ts";
import { capacityTrial } from "../capacity/capacity-trial.ts";
import type { LoadStep } from "../../core/result/load-result.ts";
import type { ArrivalKind, ArrivalsOf, TryLevel } from "./arrival-kind.ts";
import { loopLevels } from "./loop-levels.ts";
import { rateLevels } from "./rate-levels.ts";

export const capacityKind: ArrivalKind<"capacity-search"> = {
  defaults: { from: 1, to: 128, precision: 0.05, maxRequests: 10_000, maxSeconds: 3600, leastRequests: 200, leastSeconds: 10 },
  shape: (arrivals) => {
    const { of, from, to, maxRequests, maxSeconds, leastRequests, precision } = arrivals;
    const bounds = capacityBounds(arrivals);
    const first = nextOf([], bounds);
    const isRate = of === "rate";
    return {
      name: "search",
      levels: isRate ? rateLevels("poisson") : loopLevels,
      plannedTrials: typeof first === "string" ? [] : [first],
      worstTrials: [{ level: to, seconds: isRate ? maxRequests / to : maxSeconds, requests: maxRequests }],
      mostSeconds: maxSeconds,
      mostTrials: Math.ceil(maxRequests / leastRequests),
      isLedByGates: true,
      precision,
      nextTrial: (steps) => nextOf(steps.map(capacityTrial), bounds),
      describe: () =>
        `search for the highest ${isRate ? "rate" : "concurrency"} from ${from} to ${to}${isRate ? "/s" : ""}, within ${Number((100 * precision).toPrecision(3))} %, at most ${maxRequests} requests`,
      contradictions: () => findProblems(arrivals),
      search: (tryLevel) => seek(bounds, tryLevel),
    };
  },
};

export function capacityBounds({ of, precision, ...rest }: ArrivalsOf<"capacity-search">): CapacityBounds {
  return { ...rest, whole: of === "concurrency", precision };
}

function findProblems(
  arrivals: ArrivalsOf<"capacity-search">,
): readonly { readonly path: readonly string[]; readonly message: string }[] {
  const { of, from, to, maxRequests, maxSeconds } = arrivals;
  const first = nextOf([], { ...capacityBounds(arrivals), maxRequests: Infinity, maxSeconds: Infinity });
  const { requests = 0, seconds = 0 } = typeof first === "string" ? {} : first;
  const problems = [
    ...(requests > maxRequests
      ? [`the first trial has ${requests} requests; all trials may have ${maxRequests} (maxRequests, --search-requests)`]
      : []),
    ...(of === "rate" && seconds > maxSeconds
      ? [
          `the first trial, ${requests} requests at ${from} a second, takes ${Math.ceil(seconds)} s; all trials may take ${maxSeconds} s (maxSeconds, --duration): begin at a higher rate (from, --from)`,
        ]
      : []),
    ...(from >= to ? ["from must be below to"] : []),
    ...(of === "concurrency" && !(Number.isInteger(from) && Number.isInteger(to))
      ? ["from and to are whole numbers of requests"]
      : []),
  ];
  return problems.map((message) => ({ path: ["arrivals", "from"], message }));
}

async function seek(bounds: CapacityBounds, tryLevel: TryLevel): Promise<readonly LoadStep[]> {
  const steps: LoadStep[] = [];
  for (;;) {
    const next = nextOf(steps.map(capacityTrial), bounds);
    const step = typeof next === "string" ? null : await tryLevel(next, steps.length);
    if (step === null) return steps;
    steps.push(step);
  }
}
