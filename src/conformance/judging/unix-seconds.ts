import type { Exchange } from "../../core/exchange/exchange.ts";
import { targetNowSeconds } from "./exchange-view.ts";

/** From here on a number of seconds would lie in the year 33658, while one of milliseconds lies in 2001. */
const millisecondsFrom = 1e12;

export interface AgeBounds {
  readonly pastSeconds: number;
  readonly futureSeconds: number;
}

/** Whether nothing is wrong with a time, by the clock of the target. */
export function isPlainUnixSeconds(value: number, now: number, { pastSeconds, futureSeconds }: AgeBounds): boolean {
  return Number.isInteger(value) && value < millisecondsFrom && value >= now - pastSeconds && value <= now + futureSeconds;
}

/** What is wrong with a time in Unix seconds that should lie between two ages before the response; null when nothing is. */
export function unixSecondsProblem(value: number, exchange: Exchange, bounds: AgeBounds): string | null {
  if (!Number.isInteger(value)) return "it has a fraction";
  if (value >= millisecondsFrom) return "it is a time in milliseconds, not in seconds";
  const now = targetNowSeconds(exchange);
  if (value < now - bounds.pastSeconds) return `it lies ${Math.round(now - value)} s before the response`;
  return value > now + bounds.futureSeconds ? `it lies ${Math.round(value - now)} s after the response` : null;
}
