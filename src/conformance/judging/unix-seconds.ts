import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import type { WrongWords } from "./wrong-words.ts";

/** From here on a number of seconds would lie in the year 33658, while one of milliseconds lies in 2001. */
const millisecondsFrom = 1e12;

export interface AgeBounds {
  readonly pastSeconds: number;
  readonly futureSeconds: number;
}

/** The fault of a time in Unix seconds that should lie between two ages before the response; null when there is none. */
export function unixSecondsProblem(
  value: number,
  { targetNowSeconds: now }: ExchangeFacts,
  bounds: AgeBounds,
): WrongWords | null {
  if (!Number.isInteger(value)) return { kind: "it has a fraction" };
  if (value >= millisecondsFrom) return { kind: "it is a time in milliseconds, not in seconds" };
  if (value < now - bounds.pastSeconds) return lies(now - value, "before");
  return value > now + bounds.futureSeconds ? lies(value - now, "after") : null;
}

function lies(seconds: number, side: "before" | "after"): WrongWords {
  return { kind: `it lies 0 s ${side} the response`, message: `it lies ${Math.round(seconds)} s ${side} the response` };
}
