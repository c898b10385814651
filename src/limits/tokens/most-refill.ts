import type { Tolerances } from "../history/tolerances.ts";

/**
 * The most tokens that can have come back to a window of this limit between two instants, whatever the algorithm. `slackMs`: by how much the
 * time between them may be longer.
 */
export function mostRefill(
  limit: number,
  { fromMs, untilMs, slackMs }: { readonly fromMs: number; readonly untilMs: number; readonly slackMs: number },
  { windowMs }: Pick<Tolerances, "windowMs">,
): number {
  return Math.ceil((limit / windowMs) * (untilMs - fromMs + slackMs));
}
