import { setTimeout as delay } from "node:timers/promises";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { OnProgress } from "../../core/progress.ts";
import type { Sender } from "../../core/exchange/send-request.ts";
import { explainTrouble } from "../../conformance/send/check-target.ts";

export interface Preflight {
  readonly exchange: Exchange;
  /** Why nothing can be measured, null where the run may go on. */
  readonly refusal: string | null;
}

/** Silence after which whoever watches is told what is waited for. */
const patienceMs = 4_000;
/** Beyond the time for the head, for the bytes of a list of models. */
const bodyTimeMs = 10_000;

/**
 * One GET /v1/models before all stages. A target that is silent for the whole time that the manifest allows is not asked again:
 * every further request would only add as long a wait. What may be a passing hiccup is left to the stages, which try again.
 */
export async function preflight(
  manifest: Manifest,
  sender: Sender,
  { onProgress, signal }: { readonly onProgress: OnProgress; readonly signal: AbortSignal },
): Promise<Preflight> {
  const { timeoutMs } = manifest.target;
  const answered = new AbortController();
  void delay(patienceMs, undefined, { signal: answered.signal, ref: false }).then(
    () =>
      onProgress({
        kind: "note",
        text: `no complete answer yet to GET /v1/models; giving up after ${timeoutMs / 1000} s (target.timeoutMs)`,
      }),
    () => undefined,
  );
  try {
    const exchange = await sender.send({
      stage: "setup",
      caseId: "preflight",
      label: "models",
      intent: { kind: "housekeeping", purpose: "see whether the target answers" },
      endpoint: "models",
      method: "GET",
      path: "/v1/models",
      credential: { kind: "bearer", key: "primary" },
      totalTimeoutMs: timeoutMs + bodyTimeMs,
      signal,
    });
    return { exchange, refusal: signal.aborted ? null : explainTrouble(exchange, manifest.target.baseUrl) };
  } finally {
    answered.abort();
  }
}
