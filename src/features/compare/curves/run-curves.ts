import type { ComparedCurve } from "../../../core/result/compare-result.ts";
import type { LoadProfileResult } from "../../../core/result/load-result.ts";
import { curvePoints } from "../../../report/charts/curve-points.ts";

/** The sweeps of a run: profiles that tried several numbers of requests in flight and counted tokens. */
export function runCurves(name: string, profiles: readonly LoadProfileResult[] = []): readonly ComparedCurve[] {
  return profiles.flatMap(({ id, steps }) => {
    const points = curvePoints(steps);
    return points.length < 2
      ? []
      : [
          {
            name: `${name}: ${id}${steps.some(({ tokensEstimated }) => tokensEstimated === true) ? ", tokens counted by chunks" : ""}`,
            points,
          },
        ];
  });
}
