import { type ExchangeFacts, factsOf } from "../../core/exchange/exchange-facts.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { weightOf } from "../judging/subjects.ts";
import type { ExchangeJudge, Judge } from "../judging/judge.ts";
import { kindOf } from "./judge-exchanges.ts";

/**
 * Says of a requirement whether all answers that its judges would have looked at broke off or could not be read: nobody knows then
 * whether one of them met its condition. The first of them in words; null where one was read, or none came.
 */
export function findUnread(exchanges: readonly Exchange[], judges: readonly Judge[]): (requirement: string) => string | null {
  const answered = exchanges.map(factsOf).filter((exchange) => exchange.response !== null && weightOf(exchange) === "fail");
  const ofExchanges = judges.filter((judge) => judge.scope === "exchange");
  return (requirement) => {
    const own = ofExchanges.filter(({ covers }) => covers.includes(requirement));
    if (own.length === 0) return null;
    const concerned = answered.filter((exchange) => isConcerned(own, exchange));
    const [first] = concerned;
    return first === undefined || concerned.some(isRead) ? null : describe(first, concerned.length - 1);
  };
}

function isConcerned(judges: readonly ExchangeJudge[], exchange: ExchangeFacts): boolean {
  const kind = kindOf(exchange);
  return judges.some((judge) => judge.concerns?.(kind) ?? true);
}

function isRead({ failure, obstacle }: ExchangeFacts): boolean {
  return failure === null && obstacle === null;
}

function describe({ seq, failure, obstacle }: ExchangeFacts, more: number): string {
  const others = more === 0 ? "" : ` and ${more} more`;
  const words = obstacle?.words ?? `it broke off (${failure?.kind ?? "unknown"})`;
  return `the answer #${seq}${others} could not be read: ${words}`;
}
