import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../core/clock.ts";
import { type Absences, awayAtMostMs, createAbsences } from "../../core/ends/absences.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Manifest } from "../../core/manifest.ts";
import { type ExchangeFacts, factsOf } from "../../core/exchange/exchange-facts.ts";
import { statedAbsenceMs } from "../../core/exchange/stated-absence.ts";
import type { Sender, SendRequest } from "../../core/exchange/send-request.ts";
import { explainRefusal, explainTrouble, isEnough } from "../../conformance/send/check-target.ts";
import type { RunOptions } from "../run-options.ts";

export interface Preflight {
  readonly exchange: Exchange;
  /** Why nothing can be measured, null where the run may go on. */
  readonly refusal: string | null;
}

const housekeeping = {
  stage: "setup",
  caseId: "preflight",
  intent: { kind: "housekeeping", purpose: "see whether the target answers" },
} as const;

/** Silence after which a person who watches learns what is waited for. */
const patienceMs = 4_000;
/** Time for the bytes of a list of models, beyond that for the head. */
const bodyTimeMs = 10_000;

interface PreflightOptions extends Pick<RunOptions, "onProgress" | "signal" | "stages"> {
  readonly clock: Pick<Clock, "sleep">;
}

/**
 * One GET /v1/models before all stages. A target that is silent for the whole time that the manifest allows is not asked again:
 * every further request would only add as long a wait. One that says how long it is away is waited for as it says, until patience ends.
 * Another error that may be a passing hiccup is left to the stages, which try again.
 */
export async function preflight(
  manifest: Manifest,
  sender: Sender,
  { onProgress, signal, stages, clock }: PreflightOptions,
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
  const askOnce = (again: Pick<SendRequest, "attempt" | "retryOf">): Promise<Exchange> =>
    sender.send({
      ...housekeeping,
      ...again,
      label: "models",
      endpoint: "models",
      method: "GET",
      path: "/v1/models",
      credential: { kind: "bearer", key: "primary" },
      totalTimeoutMs: timeoutMs + bodyTimeMs,
      signal,
    });
  const absences = createAbsences();
  const askModels = (): Promise<Exchange> => askUntilThere(askOnce, { clock, onProgress, signal, absences });
  try {
    const exchange = await askModels();
    if (signal.aborted) return { exchange, refusal: null };
    const { baseUrl } = manifest.target;
    const trouble = explainTrouble(exchange, baseUrl);
    if (trouble !== null) {
      // If only this operation is silent the run goes on without it, and has been shown that chat is served.
      const isSilent = exchange.failure !== null;
      const [, chat] = isSilent ? await askChat(factsOf(exchange), manifest, sender, signal) : [];
      return { exchange, refusal: chat?.isSuccess === true ? null : trouble };
    }
    // The conformance stage begins with such a check of its own.
    if (stages.includes("conformance")) return { exchange, refusal: null };
    const isHiccup = exchange.response === null || exchange.response.status >= 500;
    const models = factsOf(isHiccup ? await askModels() : exchange);
    const refusal = explainRefusal(await askChat(models, manifest, sender, signal), baseUrl);
    return { exchange, refusal: signal.aborted ? null : (refusal?.reason ?? null) };
  } finally {
    answered.abort();
  }
}

/** Asks again after each wait that an answer asks for, if anybody would wait as long in all. */
async function askUntilThere(
  ask: (again: Pick<SendRequest, "attempt" | "retryOf">) => Promise<Exchange>,
  {
    clock,
    onProgress,
    signal,
    absences,
  }: Pick<PreflightOptions, "clock" | "onProgress" | "signal"> & { readonly absences: Absences },
): Promise<Exchange> {
  const caller = "the look at the list of models";
  let exchange = await ask({});
  const retryOf = exchange.seq;
  for (;;) {
    const ms = statedAbsenceMs(factsOf(exchange)) ?? 0;
    if (ms === 0 || ms > awayAtMostMs || absences.isOver(caller)) return exchange;
    const text = `the target is away (${exchange.response?.status}) and is asked again in ${Math.ceil(ms / 1000)} s, as it says`;
    onProgress({ kind: "note", text });
    await clock.sleep(ms, signal).catch(() => undefined);
    if (signal.aborted) return exchange;
    exchange = await ask({ attempt: exchange.attempt + 1, retryOf });
    absences.learn(caller, { sentMs: exchange.timing.sentMs, isAway: statedAbsenceMs(factsOf(exchange)) !== null, keptMs: ms });
  }
}

/** A target may have no list of models: where that is not served, one chat request distinguishes a wrong address or key from that. */
async function askChat(
  models: ExchangeFacts,
  manifest: Manifest,
  sender: Sender,
  signal: AbortSignal,
): Promise<readonly ExchangeFacts[]> {
  const model = manifest.models.chat;
  if (isEnough(models) || model === null) return [models];
  const chat = await sender.send({
    ...housekeeping,
    label: "chat",
    endpoint: "chat",
    method: "POST",
    path: "/v1/chat/completions",
    credential: { kind: "bearer", key: "primary" },
    body: { kind: "json", value: { model, messages: [{ role: "user", content: "Say hello." }], max_tokens: 16 } },
    signal,
  });
  return [models, factsOf(chat)];
}
