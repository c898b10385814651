import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { createAcceptanceJudge } from "../../judging/acceptance-judge.ts";
import type { RunJudge } from "../../judging/judge.ts";
import { readUsageQuery } from "./usage-report.ts";

function bothMatch(exchange: ExchangeFacts, pattern: RegExp): boolean {
  const { from, to } = readUsageQuery(exchange);
  return [from, to].every((end) => pattern.test(end ?? ""));
}

/** The simplest request: both ends and no granularity. */
function hasOnlyEnds(exchange: ExchangeFacts): boolean {
  const { from, to, granularity } = readUsageQuery(exchange);
  return from !== null && to !== null && granularity === null;
}

function asks(exchange: ExchangeFacts, granularity: string): boolean {
  return readUsageQuery(exchange).granularity === granularity;
}

/** Both ends of the window in every documented notation, and every granularity, have to be accepted. */
export const usageAcceptance: RunJudge = createAcceptanceJudge({
  id: "usage-acceptance",
  endpoint: "usage",
  capability: "SVC-008",
  rows: [
    {
      requirement: "USG-001",
      what: "a window given by its two ends",
      when: (_body, exchange) => hasOnlyEnds(exchange),
    },
    {
      requirement: "USG-004",
      what: "instants in UTC with the letter Z",
      when: (_body, exchange) => bothMatch(exchange, /Z$/),
    },
    {
      requirement: "USG-005",
      what: "instants with a numeric offset",
      refusalIsAdvisory: true,
      when: (_body, exchange) => bothMatch(exchange, /[+-]\d{2}:\d{2}$/),
    },
    {
      requirement: "USG-006",
      what: "instants with milliseconds",
      when: (_body, exchange) => bothMatch(exchange, /\.\d{3}(?:Z|[+-]\d{2}:\d{2})$/),
    },
    { requirement: "USG-008", what: "granularity hour", when: (_body, exchange) => asks(exchange, "hour") },
    { requirement: "USG-009", what: "granularity day", when: (_body, exchange) => asks(exchange, "day") },
    { requirement: "USG-010", what: "granularity month", when: (_body, exchange) => asks(exchange, "month") },
  ],
});
