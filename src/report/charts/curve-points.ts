import type { LoadStep } from "../../core/result/load-result.ts";
import type { CurvePoint } from "./throughput-curve.ts";

/** The points of a sweep of concurrency: one a level, the longest trial of it; those without tokens are left out. */
export function curvePoints(steps: readonly LoadStep[]): readonly CurvePoint[] {
  const longest = new Map<number, LoadStep>();
  for (const step of steps) {
    if (step.concurrency === undefined) continue;
    const known = longest.get(step.concurrency);
    if (known === undefined || (step.requests ?? 0) > (known.requests ?? 0)) longest.set(step.concurrency, step);
  }
  return [...longest]
    .toSorted(([one], [other]) => one - other)
    .flatMap(([concurrency, { tpotP50 = null, ttftP50 = null, outputTokens = null }]) =>
      tpotP50 === null || tpotP50 <= 0 || outputTokens === null
        ? []
        : [{ label: `${concurrency}`, perUser: 1000 / tpotP50, inAll: outputTokens, ttftMs: ttftP50, tpotMs: tpotP50 }],
    );
}
