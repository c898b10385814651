import type { LoadMetric } from "../../core/result/load-figures.ts";
import type { Gate } from "../profile/gate.ts";

/** One request gives many of these. */
const perGap: ReadonlySet<LoadMetric> = new Set<LoadMetric>(["inter-chunk", "inter-token"]);

/** The share of requests that may miss a gate while it holds; null for gates that are no bound on such a share. */
export function allowedMisses({ figure, operator, bound }: Gate): number | null {
  const isCeiling = operator === "<" || operator === "<=";
  if (operator === "==" || operator === "!=") return null;
  if (figure.kind === "percentile") {
    if (perGap.has(figure.metric)) return null;
    return isCeiling ? 1 - figure.percentile / 100 : figure.percentile / 100;
  }
  if (figure.kind !== "fraction") return null;
  const share = figure.name === "goodput" ? (isCeiling ? null : 1 - bound) : isCeiling ? bound : null;
  return share === null || share <= 0 || share >= 1 ? null : share;
}
