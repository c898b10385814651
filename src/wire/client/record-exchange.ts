import type { Exchange } from "../../core/exchange/exchange.ts";
import { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import type { DescribedOutcome, ExchangeEnd } from "../capture/exchange-end.ts";
import { presentedKey } from "../redaction/credential.ts";
import type { PreparedRequest } from "../http/prepare-request.ts";

/** The request and its end, as one record. `prepared` is null if the request could not be made or was not let out. */
export function recordExchange(
  request: SendRequest,
  seq: number,
  prepared: PreparedRequest | null,
  outcome: ExchangeEnd,
  { response, failure }: DescribedOutcome,
  mask: (text: string) => string,
): Exchange {
  return new ExchangeFacts({
    seq,
    stage: request.stage,
    caseId: request.caseId,
    label: request.label,
    intent: request.intent,
    endpoint: request.endpoint,
    keyName: prepared?.foreign ? null : presentedKey(request),
    attempt: request.attempt ?? 1,
    retryOf: request.retryOf ?? null,
    request: prepared?.record ?? { method: request.method, path: mask(request.path), headers: [], body: null },
    response,
    failure,
    timing: {
      intendedMs: request.intendedMs ?? null,
      sentMs: outcome.sentMs ?? outcome.endMs,
      headersMs: outcome.headersMs,
      firstByteMs: outcome.firstByteMs,
      endMs: outcome.endMs,
      wallMs: outcome.wallMs,
      ...(outcome.lateMs === null ? {} : { lateMs: outcome.lateMs }),
    },
    connection: outcome.connection,
  });
}
