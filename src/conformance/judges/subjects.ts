import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { Exchange, RecordedResponse } from "../../core/exchange/exchange.ts";
import type { Intent, ViolatedCondition } from "../../core/exchange/intent.ts";
import { responseObject, statusOf } from "../judging/exchange-view.ts";

/** An exchange with a response of the service itself; a fetched image comes from wherever its URL points. */
export type Answered = Exchange & { readonly response: RecordedResponse };

export function isAnswered(exchange: Exchange): exchange is Answered {
  const { path } = exchange.request;
  return exchange.response !== null && (path.startsWith("/") || !/^https?:\/\//.test(path));
}

/** The whole response arrived: its body may be judged. */
export function isComplete(exchange: Exchange): exchange is Answered {
  return isAnswered(exchange) && exchange.failure === null;
}

export type Violation = Extract<Intent, { readonly kind: "violates" }>;

/** In what respect a request is wrong on purpose; null when it is not. */
export function violationOf({ intent }: Exchange): Violation | null {
  return intent.kind === "violates" ? intent : null;
}

export function violates(exchange: Exchange, condition: ViolatedCondition): boolean {
  return violationOf(exchange)?.condition === condition;
}

/** A request that a case sends for this purpose; its judge gives the purpose its name. */
export function hasPurpose({ intent }: Exchange, purpose: string): boolean {
  return intent.kind === "housekeeping" && intent.purpose === purpose;
}

const namedOnly: ReadonlySet<EndpointId> = new Set(["agents", "workspaces", "verify"]);

/** A route that the specification describes; those that it only names may not exist (AMB-22). */
export function isKnownRoute(exchange: Exchange): boolean {
  if (exchange.endpoint === null) return false;
  return !(namedOnly.has(exchange.endpoint) && (statusOf(exchange) === 404 || statusOf(exchange) === 405));
}

/**
 * A 5xx that nobody provoked and that does not speak the language of the service may come from a gateway in front of it.
 * It is told, but it is no word of the service.
 */
export function mayComeFromGateway(exchange: Exchange): boolean {
  if ((statusOf(exchange) ?? 0) < 500 || violates(exchange, "fault-trigger")) return false;
  return responseObject(exchange)?.["error"] === undefined;
}

/** What a violation on this response is worth: an accusation only where the service itself speaks on a route of its own. */
export function weightOf(exchange: Exchange): "fail" | "advisory" {
  return isKnownRoute(exchange) && !mayComeFromGateway(exchange) ? "fail" : "advisory";
}

/** What a violation on this response is worth where the specification speaks of every response (AMB-10). */
export function weightOfHeaders(exchange: Answered): "fail" | "advisory" {
  const hasValidKey = exchange.keyName !== null && exchange.response.status !== 401;
  return hasValidKey ? weightOf(exchange) : "advisory";
}

export function isEventStream({ response }: Exchange): boolean {
  return response?.stream != null;
}

/** Status for texts: `422 chat`. */
export function nameResponse({ request, response }: Answered): string {
  const [path] = request.path.split("?");
  return `${response.status} to ${request.method} ${path}`;
}
