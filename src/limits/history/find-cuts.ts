import { findAbsences } from "../../core/ends/find-absences.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { bySending, momentsOf } from "../../core/exchange/moments.ts";

/**
 * The instants from which on the service was seen away for everybody, ms on the run clock, rising: it refused connections, or said to
 * requests with keys and without that it is away, and for how long. One for each absence.
 */
export function findCuts(exchanges: readonly Exchange[]): readonly number[] {
  const absent = findAbsences(exchanges);
  const cuts: number[] = [];
  let isAway = false;
  for (const exchange of exchanges.toSorted(bySending)) {
    if (absent.has(exchange.seq) || exchange.failure?.kind === "connect-refused") {
      if (!isAway) cuts.push(momentsOf(exchange).sent.earliestMs);
      isAway = true;
    } else if (exchange.response !== null) isAway = false;
  }
  return cuts;
}
