import { loadavg } from "node:os";
import { benchChildren } from "./bench-children.ts";
import { median } from "./median.ts";
import type { ProbeBenchFigures } from "./probe-client.ts";

/**
 * The cost of a probe for the load that it stands beside: a closed loop of 16, and 200 requests a second, each alone, beside a probe
 * that asks every two seconds (the default) and beside one that asks every half second (the most). They take turns; a ratio is the median
 * of those of the rounds, each to the load alone in the same round. Arguments: rounds (3), seconds of each load (3).
 */
const rounds = Number(process.argv[2] ?? 3);
const seconds = Number(process.argv[3] ?? 3);
const children = benchChildren();

async function measure(what: string, everySeconds: number): Promise<ProbeBenchFigures> {
  return children.withServer([10, 40], (url) =>
    children.figuresOf("probe-client", [what, String(everySeconds), String(seconds), url]),
  );
}

const spread = (values: readonly number[]): string =>
  `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)})`;

const loadBefore = loadavg()[0]?.toFixed(1) ?? "?";
console.log(`load average ${loadBefore} before the start, ${rounds} rounds of ${seconds} s\n`);
console.log(
  "| load | probe | asked | requests/s, x alone | CPU us a request, x alone | loop | dispatch delay p99 ms, less alone |",
);
console.log("|---|---|---|---|---|---|---|");
for (const what of ["loop", "rate"]) {
  const intervals = [0, 2, 0.5];
  const runs = new Map(intervals.map((every) => [every, [] as ProbeBenchFigures[]]));
  for (let round = 0; round < rounds; round += 1) for (const [every, kept] of runs) kept.push(await measure(what, every));
  const alone = runs.get(0) ?? [];
  for (const [every, kept] of runs) {
    const toAlone = (read: (one: ProbeBenchFigures) => number): string =>
      spread(kept.map((one, round) => read(one) / read(alone[round] ?? one)));
    const delays = kept.map((one, round) => (one.dispatchDelayP99Ms ?? NaN) - (alone[round]?.dispatchDelayP99Ms ?? NaN));
    const perSecond = median(kept.map((one) => one.requests / one.seconds)).toFixed(0);
    const cpu = median(kept.map((one) => one.cpuMicroseconds / one.requests)).toFixed(0);
    console.log(
      `| ${what === "loop" ? "closed loop of 16" : "200 a second"} | ${every === 0 ? "none" : `every ${every} s`} | ` +
        `${median(kept.map(({ asked }) => asked))} | ${perSecond}, ${toAlone((one) => one.requests / one.seconds)} | ` +
        `${cpu}, ${toAlone((one) => one.cpuMicroseconds / one.requests)} | ` +
        `${median(kept.map(({ loopUtilization }) => loopUtilization)).toFixed(2)} | ${spread(delays)} |`,
    );
  }
}
