import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import { troubleOf } from "./trouble.ts";

/** `422 (validation_error)` for texts; a code that only repeats the status is left out. */
export function describeAnswer(exchange: ExchangeFacts): string {
  const { status, failure, errorCode: code } = exchange;
  if (status === null) return troubleOf(exchange);
  const broken = failure === null ? "" : `, then ${failure.kind}`;
  const isSpecific = code !== null && code !== String(status);
  return `${isSpecific ? `${status} (${code.slice(0, 60)})` : String(status)}${broken}`;
}
