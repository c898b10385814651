import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import { framingFields } from "../../core/exchange/headers/framing-fields.ts";
import { headerValues } from "../../core/exchange/headers/header-list.ts";

/** Whether the body of a request goes out in chunks, without a length. */
export function isChunked({ request }: ExchangeFacts): boolean {
  return headerValues(request.headers, "transfer-encoding").length > 0;
}

/** Whether the body of a request is held back until the server asks for it, or a moment has passed. */
export function expectsContinue({ request }: ExchangeFacts): boolean {
  return headerValues(request.headers, "expect").length > 0;
}

/** Whether a request states another framing of its body than a length. */
export function statesFraming({ request }: Pick<ExchangeFacts, "request">): boolean {
  return framingFields.some((name) => headerValues(request.headers, name).length > 0);
}

/** How the body of a request is sent, for readers. */
export function framingOf(exchange: ExchangeFacts): string {
  return isChunked(exchange) ? "in chunks" : expectsContinue(exchange) ? "after 100 Continue" : "with a length";
}

/** Refusals of the key, its scope, its account or the rate: of a request that the server has read as far as it had to. */
const ofSomethingElse: ReadonlySet<number | null> = new Set([401, 402, 403, 429]);

/**
 * A refusal of how a request is written, whatever it asks for: a server may demand a length (411: RFC 9110, section 15.5.12; RFC 9112,
 * section 6.3), or say that something on the way supports no expectations (417: RFC 9110, section 10.1.1), and one of HTTP/1.0 knows
 * neither chunks nor expectations (RFC 9112, section 6.1): it may refuse a valid request for them.
 */
export function isFramingRefusal(exchange: ExchangeFacts): boolean {
  return namesFraming(exchange) || isRefusedByOldServer(exchange);
}

/** A refusal of the framing that these exchanges do not refute: a server of HTTP/1.0 that accepted another request like it knows the framing. */
export function isFramingRefusalAmong(exchange: ExchangeFacts, exchanges: readonly ExchangeFacts[]): boolean {
  if (namesFraming(exchange)) return true;
  const framing = framingOf(exchange);
  const accepts = (one: ExchangeFacts): boolean => one.isSuccess && one.response?.version === "1.0" && framingOf(one) === framing;
  return isRefusedByOldServer(exchange) && !exchanges.some(accepts);
}

/** Answers of a server that cannot read a body sent in chunks or after 100 Continue, or takes it for an empty one. */
const ofFraming: ReadonlySet<number | null> = new Set([400, 411, 417, 422, 501, 505]);

/** A refusal in another framing whose status may be about the framing. */
export function mayBeOfFraming(exchange: ExchangeFacts): boolean {
  return statesFraming(exchange) && ofFraming.has(exchange.status);
}

/** A refusal that a server of HTTP/1.0 may have given before it knew of any mistake, by whatever reads its requests. */
export function mayBeFramingRefusal(exchange: ExchangeFacts): boolean {
  return isFramingRefusal(exchange) || (exchange.response?.version === "1.0" && mayBeOfFraming(exchange));
}

/** The status itself is about the framing. */
export function namesFraming(exchange: ExchangeFacts): boolean {
  return (isChunked(exchange) && exchange.status === 411) || (expectsContinue(exchange) && exchange.status === 417);
}

function isRefusedByOldServer(exchange: ExchangeFacts): boolean {
  const { isSuccess, response, intent, status } = exchange;
  if (isSuccess || response?.version !== "1.0" || intent.kind !== "valid" || ofSomethingElse.has(status)) return false;
  return statesFraming(exchange);
}

/**
 * No answer in time to a request in another framing, none to any other in it, and one to the same request with a length: the server waits
 * for a length, or for something else that this framing does not have.
 */
export function isLeftForFraming(exchange: ExchangeFacts, exchanges: readonly ExchangeFacts[]): boolean {
  const { response, failure, seq, retryOf } = exchange;
  if (response !== null || failure?.kind !== "timeout" || !statesFraming(exchange)) return false;
  const framing = framingOf(exchange);
  const first = retryOf ?? seq;
  const answered = exchanges.filter((one) => one.response !== null);
  return (
    !answered.some((one) => framingOf(one) === framing) && answered.some((one) => one.retryOf === first && !statesFraming(one))
  );
}
