import type { Exchange } from "./exchange.ts";
import type { LimitPhase } from "./limit-phase.ts";

/** Requests of an exam that a limiter may count elsewhere, as another path or another client: they read another counter there. */
export function isDisguisedPhase(phase: LimitPhase | Exchange["stage"]): boolean {
  return phase === "F-spelling" || phase === "F-identity";
}
