import type { Tolerances } from "../history/tolerances.ts";

/** The most tokens that can have come back to a window of this limit between two instants, whatever the algorithm. */
export function mostRefill(
  limit: number,
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
  { windowMs, granularityMs }: Pick<Tolerances, "windowMs" | "granularityMs">,
): number {
  return Math.ceil((limit / windowMs) * (untilMs - fromMs + granularityMs));
}
