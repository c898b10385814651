import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import { headerValues } from "../../core/exchange/headers/header-list.ts";

/** Whether the body of a request goes out in chunks, without a length. */
export function isChunked({ request }: ExchangeFacts): boolean {
  return headerValues(request.headers, "transfer-encoding").length > 0;
}

/** Whether the body of a request is held back until the server asks for it, or a moment has passed. */
export function expectsContinue({ request }: ExchangeFacts): boolean {
  return headerValues(request.headers, "expect").length > 0;
}

/** How the body of a request is sent, for readers. */
export function framingOf(exchange: ExchangeFacts): string {
  return isChunked(exchange) ? "in chunks" : expectsContinue(exchange) ? "after 100 Continue" : "with a length";
}

/**
 * A refusal of how a request is written, whatever it asks for: a server may demand a length (411: RFC 9110, section 15.5.12; RFC 9112,
 * section 6.3), or say that something on the way supports no expectations (417: RFC 9110, section 10.1.1), and one of HTTP/1.0 knows
 * neither chunks nor expectations (RFC 9112, section 6.1). It reads the body behind an expectation all the same, and refuses what is
 * wrong with it.
 */
export function isFramingRefusal(exchange: ExchangeFacts): boolean {
  if (exchange.isSuccess) return false;
  const [chunked, expects] = [isChunked(exchange), expectsContinue(exchange)];
  if (chunked && exchange.status === 411) return true;
  if (expects && exchange.status === 417) return true;
  return (chunked || (expects && exchange.intent.kind === "valid")) && exchange.response?.version === "1.0";
}
