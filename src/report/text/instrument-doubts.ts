import type { LoadResult } from "../../core/result/load-result.ts";

/** Doubts about the machine that concern every time it measured under load; none if its error is known and small. */
export function instrumentDoubts(load: LoadResult | null): readonly string[] {
  if (load === null) return [];
  const { calibration, uncalibrated } = load;
  return uncalibrated === undefined
    ? (calibration?.doubts ?? [])
    : [`instrument: ${uncalibrated}; gates on times are not judged`];
}
