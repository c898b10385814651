import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import { isJsonObject } from "./json-value.ts";

/**
 * A success whose body the specification describes. What comes with a success that should have been a refusal is described
 * nowhere, and the refusal that is missing has a row of its own: one defect is accused once.
 */
export function isDescribedSuccess(exchange: ExchangeFacts): boolean {
  return exchange.isSuccess && exchange.intent.kind !== "violates";
}

/** Nothing that a verdict on the request can rest on: no answer, a limit that was not meant, or trouble of the server. */
export function isUnplannedTrouble({ status, failure }: ExchangeFacts): boolean {
  return status === null || failure !== null || status === 429 || status >= 500;
}

export function troubleOf({ status, failure }: ExchangeFacts): string {
  return failure === null ? `answered ${status ?? "nothing"}` : `no complete answer (${failure.kind})`;
}

/** A request to this operation that a correct service accepts, with a key that is valid. */
export function isValidRequest(exchange: ExchangeFacts, endpoint: EndpointId): boolean {
  return (
    exchange.endpoint === endpoint &&
    exchange.keyName !== null &&
    (exchange.intent.kind === "valid" || exchange.intent.kind === "load" || exchange.intent.kind === "limit")
  );
}

/** The machine-readable code of an error, whichever of the two shapes carries it. */
export function errorCodeOf({ responseObject }: ExchangeFacts): string | null {
  const error = responseObject?.["error"];
  if (typeof error === "string") return error;
  const code = isJsonObject(error) ? error["code"] : undefined;
  return typeof code === "string" || typeof code === "number" ? String(code) : null;
}

/** `422 (validation_error)` for texts; a code that only repeats the status is left out. */
export function describeAnswer(exchange: ExchangeFacts): string {
  const { status, failure } = exchange;
  if (status === null) return troubleOf(exchange);
  const code = errorCodeOf(exchange);
  const broken = failure === null ? "" : `, then ${failure.kind}`;
  const isSpecific = code !== null && code !== String(status);
  return `${isSpecific ? `${status} (${code.slice(0, 60)})` : String(status)}${broken}`;
}

/** The quota shape of a spend cap: `error` is a string instead of an object. */
export function isQuotaShape({ responseObject }: ExchangeFacts): boolean {
  return responseObject?.["error"] === "quota_exceeded";
}
