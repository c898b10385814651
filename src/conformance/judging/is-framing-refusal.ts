import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import { headerValues } from "../../core/exchange/headers/header-list.ts";

/** Whether the body of a request goes out in chunks, without a length. */
export function isChunked({ request }: ExchangeFacts): boolean {
  return headerValues(request.headers, "transfer-encoding").length > 0;
}

/**
 * A refusal of how a request is written, whatever it asks for: a server may demand a length (411: RFC 9110, section 15.5.12; RFC 9112,
 * section 6.3), and one of HTTP/1.0 knows no chunks (RFC 9112, section 6.1).
 */
export function isFramingRefusal(exchange: ExchangeFacts): boolean {
  if (exchange.isSuccess || !isChunked(exchange)) return false;
  return exchange.status === 411 || exchange.response?.version === "1.0";
}
