import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import { isFramingRefusal } from "./is-framing-refusal.ts";

/** A request to this operation that a correct service accepts, with a key that is valid. One that was lawfully refused for its framing is none. */
export function isValidRequest(exchange: ExchangeFacts, endpoint: EndpointId): boolean {
  return (
    exchange.endpoint === endpoint &&
    exchange.keyName !== null &&
    (exchange.intent.kind === "valid" || exchange.intent.kind === "load" || exchange.intent.kind === "limit") &&
    !isFramingRefusal(exchange)
  );
}
