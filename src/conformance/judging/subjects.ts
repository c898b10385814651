import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { Exchange, RecordedResponse } from "../../core/exchange/exchange.ts";
import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import { isCutUpload } from "../../core/exchange/is-cut-upload.ts";
import { isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";
import type { Intent, ViolatedCondition } from "../../core/exchange/intent.ts";
import { mayBeFramingRefusal } from "./is-framing-refusal.ts";
import { isNotServed } from "./is-not-served.ts";

/**
 * An exchange with a response of the service itself: a fetched image comes from wherever its URL points, and a body that was held back
 * may be given up by a server in front.
 */
export type Answered = ExchangeFacts & { readonly response: RecordedResponse };

export function isAnswered(exchange: ExchangeFacts): exchange is Answered {
  const { path } = exchange.request;
  if (isCutUpload(exchange)) return false;
  return exchange.response !== null && (path.startsWith("/") || !/^https?:\/\//.test(path));
}

/** The whole response arrived: its body may be judged. */
export function isComplete(exchange: ExchangeFacts): exchange is Answered {
  return isAnswered(exchange) && exchange.failure === null;
}

/**
 * A success whose body the specification describes. A body that comes with a success in place of a refusal is described
 * nowhere, and the refusal that is missing has a row of its own: one defect is accused once.
 */
export function isDescribedSuccess(exchange: ExchangeFacts): boolean {
  return exchange.isSuccess && exchange.intent.kind !== "violates";
}

export type Violation = Extract<Intent, { readonly kind: "violates" }>;

/** The respect in which a request is wrong on purpose; null when it is not. */
export function violationOf({ intent }: Pick<Exchange, "intent">): Violation | null {
  return intent.kind === "violates" ? intent : null;
}

export function violates(exchange: Pick<Exchange, "intent">, condition: ViolatedCondition): boolean {
  return violationOf(exchange)?.condition === condition;
}

/** Purpose of requests that exceed a burst limit (suites core and settings). */
export const burstPurpose = "exceed a burst limit";

/** A request that a case sends for this purpose; its judge gives the purpose its name. */
export function hasPurpose({ intent }: Pick<Exchange, "intent">, purpose: string): boolean {
  return intent.kind === "housekeeping" && intent.purpose === purpose;
}

const namedOnly: ReadonlySet<EndpointId> = new Set(["agents", "workspaces", "verify"]);

/** A path that the specification only names, and that does not exist here, or not with this method (AMB-22). */
export function isAbsentPath(exchange: ExchangeFacts): boolean {
  return exchange.endpoint !== null && namedOnly.has(exchange.endpoint) && isNotServed(exchange);
}

/** A route that the specification describes; those that it only names may not exist. */
export function isKnownRoute(exchange: ExchangeFacts): boolean {
  return exchange.endpoint !== null && !isAbsentPath(exchange);
}

/**
 * A 5xx that nobody provoked and that does not speak the language of the service may come from a gateway in front of it, and so may the
 * end of an upload that was held back, and a refusal of how a request is written. It is reported, but it is no word of the service.
 */
export function mayComeFromGateway(exchange: ExchangeFacts): boolean {
  if (isCutUpload(exchange) || mayBeFramingRefusal(exchange)) return true;
  if ((exchange.status ?? 0) < 500 || violates(exchange, "fault-trigger")) return false;
  const json = exchange.peekBody();
  return !json.ok || !isJsonObject(json.value) || json.value["error"] === undefined;
}

/** The weight of a violation on this response: an accusation only if the service itself speaks on a route of its own. */
export function weightOf(exchange: ExchangeFacts): "fail" | "advisory" {
  return isKnownRoute(exchange) && !mayComeFromGateway(exchange) ? "fail" : "advisory";
}

/** The weight of a violation on this response if the specification speaks of every response (AMB-10). */
export function weightOfHeaders(exchange: Answered): "fail" | "advisory" {
  const hasValidKey = exchange.keyName !== null && exchange.response.status !== 401;
  return hasValidKey ? weightOf(exchange) : "advisory";
}

export function isEventStream({ response }: ExchangeFacts): boolean {
  return response?.stream != null;
}

/** Status for texts: `422 chat`. */
export function nameResponse({ request, response }: Answered): string {
  const [path] = request.path.split("?");
  return `${response.status} to ${request.method} ${path}`;
}
