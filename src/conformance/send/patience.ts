import type { Exchange } from "../../core/exchange/exchange.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";

/** Bounds how long a stage waits for answers that do not come: what never answers is not asked for ever. */
export interface Patience {
  /** Whether requests of this form were left without an answer too often to send another one. */
  isOver(request: SendRequest): boolean;
  reason(request: SendRequest): string;
  learn(request: SendRequest, exchange: Exchange): void;
}

/** Ends a case: the form that it needs does not answer in time. What was seen until then is judged. */
export class OutOfPatience extends Error {
  override readonly name = "OutOfPatience";
}

/** Enough for a finding with its repetitions; each costs the whole time that is allowed for an answer. */
export const timeoutsAtMost = 6;

export function createPatience(): Patience {
  const timeouts = new Map<string, number>();
  const isOver = (request: SendRequest): boolean => (timeouts.get(formOf(request)) ?? 0) >= timeoutsAtMost;
  return {
    isOver,
    reason: (request) => `${formOf(request)} did not answer in time ${timeoutsAtMost} times in a row and was not asked again`,
    learn: (request, { failure }) => {
      const form = formOf(request);
      if (failure?.kind === "timeout" || failure?.kind === "stream-timeout") timeouts.set(form, (timeouts.get(form) ?? 0) + 1);
      else if (failure === null && !isOver(request)) timeouts.delete(form);
    },
  };
}

/** Streams and whole answers of one operation take different ways through a service. */
function formOf({ endpoint, path, body }: SendRequest): string {
  const value = body?.kind === "json" ? body.value : null;
  const isStream = typeof value === "object" && value !== null && (value as { readonly stream?: unknown }).stream === true;
  return `${endpoint ?? path}${isStream ? " with stream" : ""}`;
}
