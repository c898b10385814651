import { specifiedEndpoints, type EndpointId } from "../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import { isNotServed } from "./is-not-served.ts";
import { isValidRequest } from "./is-valid-request.ts";

/** Operations that are not there: some valid request was sent, and each was answered as a path is that nobody serves. */
export function absentOperations(exchanges: readonly ExchangeFacts[]): ReadonlySet<EndpointId> {
  return new Set(
    specifiedEndpoints.filter((endpoint) => {
      const answers = exchanges.filter((one) => one.response !== null && isValidRequest(one, endpoint));
      return answers.length > 0 && answers.every(isAbsence);
    }),
  );
}

/** No such path, no such method, not built, or somewhere else. */
export function isAbsence(answer: { readonly status: number | null }): boolean {
  const { status } = answer;
  return isNotServed(answer) || (status !== null && status >= 300 && status < 400);
}
