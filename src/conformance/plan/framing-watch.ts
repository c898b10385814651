import type { Exchange } from "../../core/exchange/exchange.ts";
import { framingFields } from "../../core/exchange/headers/framing-fields.ts";
import { headerValues } from "../../core/exchange/headers/header-list.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";

/**
 * Keeps other framings from a target that may not know them: before its first answer, and each of them once it stayed unanswered before any
 * was answered. Such a request is sent with a length.
 */
export interface FramingWatch {
  fit(request: SendRequest): SendRequest;
  learn(exchange: Exchange): void;
}

export function createFramingWatch(): FramingWatch {
  const answered = new Set<string>();
  const silent = new Set<string>();
  let isThere = false;
  const isKept = (field: string): boolean => {
    const name = field.toLowerCase();
    return !framingFields.includes(name) || (isThere && !silent.has(name));
  };
  return {
    fit(request) {
      if (request.headers === undefined || Object.keys(request.headers).every(isKept)) return request;
      return { ...request, headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => isKept(name))) };
    },
    learn({ request: { headers }, response, failure }) {
      isThere ||= response !== null;
      for (const name of framingFields.filter((one) => headerValues(headers, one).length > 0)) {
        if (response !== null) answered.add(name);
        else if (failure?.kind === "timeout" && !answered.has(name)) silent.add(name);
      }
    },
  };
}
