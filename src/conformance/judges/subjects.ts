import type { EndpointId } from "../../core/endpoint.ts";
import type { Exchange, RecordedResponse } from "../../core/exchange.ts";
import type { ViolatedCondition } from "../../core/intent.ts";
import { responseObject, statusOf } from "../exchange-view.ts";

/** An exchange with a response of the service itself; a fetched image comes from wherever its URL points. */
export type Answered = Exchange & { readonly response: RecordedResponse };

export function isAnswered(exchange: Exchange): exchange is Answered {
  return exchange.response !== null && !/^https?:\/\//.test(exchange.request.path);
}

/** The whole response arrived: its body may be judged. */
export function isComplete(exchange: Exchange): exchange is Answered {
  return isAnswered(exchange) && exchange.failure === null;
}

/** A request that is wrong on purpose, in this respect. */
export function violates({ intent }: Exchange, condition: ViolatedCondition): boolean {
  return intent.kind === "violates" && intent.condition === condition;
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

export function isEventStream(exchange: Exchange): boolean {
  return exchange.response?.stream != null;
}

/** Status for texts: `422 chat`. */
export function nameResponse(exchange: Exchange): string {
  return `${statusOf(exchange) ?? "no answer"} to ${exchange.request.method} ${exchange.request.path.split("?")[0] ?? ""}`;
}
