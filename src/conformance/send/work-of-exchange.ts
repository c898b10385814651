import { type ExchangeFacts, factsOf } from "../../core/exchange/exchange-facts.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { workKind, type WorkKind } from "./work-of-case.ts";

/** Answers of cases that ask for no more than this are alike. */
const shortTokens = 100;

/** The kind of a request that was answered, as `workOfCase` names those to come. */
export function workOfExchange(exchange: Exchange): WorkKind {
  const operation = exchange.endpoint ?? "other";
  const { intent } = exchange;
  const isWrong = intent.kind === "violates" || (intent.kind === "housekeeping" && intent.field !== undefined);
  if (isWrong) return workKind(operation, "refused");
  return workKind(operation, operation === "chat" && !isShort(factsOf(exchange)) ? "long" : "usual");
}

function isShort({ requestObject }: ExchangeFacts): boolean {
  const asked = requestObject?.["max_tokens"];
  return typeof asked === "number" && asked >= 0 && asked <= shortTokens;
}
