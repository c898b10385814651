import { specifiedEndpoints, type EndpointId } from "../../core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
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
export function isAbsence({ status }: { readonly status: number | null }): boolean {
  return status === 404 || status === 405 || status === 501 || (status !== null && status >= 300 && status < 400);
}
