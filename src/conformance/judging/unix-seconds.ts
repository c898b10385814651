import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";

/** From here on a number of seconds would lie in the year 33658, while one of milliseconds lies in 2001. */
const millisecondsFrom = 1e12;

export interface AgeBounds {
  readonly pastSeconds: number;
  readonly futureSeconds: number;
}

/** What is wrong with a time in Unix seconds that should lie between two ages before the response; null when nothing is. */
export function unixSecondsProblem(value: number, { targetNowSeconds: now }: ExchangeFacts, bounds: AgeBounds): string | null {
  if (!Number.isInteger(value)) return "it has a fraction";
  if (value >= millisecondsFrom) return "it is a time in milliseconds, not in seconds";
  if (value < now - bounds.pastSeconds) return `it lies ${Math.round(now - value)} s before the response`;
  return value > now + bounds.futureSeconds ? `it lies ${Math.round(value - now)} s after the response` : null;
}
