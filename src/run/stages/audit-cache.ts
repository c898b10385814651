import type { Clock } from "../../core/clock.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { type ExchangeFacts, factsOf } from "../../core/exchange/exchange-facts.ts";
import { isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";
import { headerValues } from "../../core/exchange/headers/header-list.ts";
import type { Sender } from "../../core/exchange/send-request.ts";
import type { Manifest } from "../../core/manifest.ts";
import { createRandom } from "../../core/random.ts";
import type { AuditedAnswer } from "../../load/ledger/ledger-line.ts";
import { plannedSend } from "../../load/profile/planned-send.ts";
import { loadKeyName } from "../../load/profile/load-key-name.ts";
import type { LoadProfile } from "../../load/profile/load-profile.ts";
import type { WorkloadItem } from "../../load/profile/workload-item.ts";
import { workloadBlockers } from "../../load/profile/workload-blockers.ts";
import { followStream } from "../../load/samples/stream-progress.ts";
import { createWorkload } from "../../load/workload/workload.ts";

export interface AuditInput {
  readonly profile: LoadProfile;
  readonly manifest: Manifest;
  readonly sender: Pick<Sender, "send">;
  readonly clock: Clock;
  readonly seed: number;
  readonly signal?: AbortSignal;
}

/** Numbers of prompts in the order in which they are asked: three fresh ones, and these again between three others. */
const first: readonly number[] = [0, 1, 2];
const again: readonly number[] = [0, 3, 1, 4, 2, 5];
const [promptTokens, outputTokens] = [32, 32];
/** Between the two: a time of creation has whole seconds. */
const pauseMs = 2100;

/**
 * Asks the same prompts again beside fresh ones, one after the other and before the load: a target that answers from a cache of responses
 * shows it by what its answers hold and by their time. An audit that is aborted shows nothing.
 */
export async function auditCache({
  profile,
  manifest,
  sender,
  clock,
  seed,
  signal,
}: AuditInput): Promise<readonly AuditedAnswer[]> {
  const chosen = profile.workload.find((item) => item.endpoint === "chat");
  if (chosen === undefined || workloadBlockers(profile, manifest).length > 0) return [];
  const key = loadKeyName(profile.key, manifest);
  const { leave: _leaves, ...stays } = chosen;
  const lengths = { promptTokens: fixed(promptTokens), outputTokens: fixed(outputTokens), exactPrompts: false };
  const item: WorkloadItem = { ...stays, ...lengths, prompts: null, sharedPrefixTokens: 0 };
  // A cache that outlives a run holds the prompts of the runs before: no two audits ask the same ones.
  const random = createRandom(seed).fork(`${profile.id}/cache-audit/${clock.wallMs()}`);
  const workload = createWorkload([item], { manifest, keyName: key, random, wallMs: () => clock.wallMs() });
  const ask = async (prompt: number, isRepeat: boolean): Promise<AuditedAnswer> => {
    const { endpoint, method, path, body, reserve } = workload.request(prompt, plannedSend(0));
    const exchange = await sender.send({
      stage: "setup",
      caseId: "cache-audit",
      label: `${isRepeat ? "repeated" : "fresh"} prompt ${prompt + 1}`,
      intent: { kind: "housekeeping", purpose: "the same prompts asked again beside fresh ones" },
      endpoint,
      method,
      path,
      credential: { kind: "bearer", key },
      ...(body === null ? {} : { body }),
      reserve,
      ...(signal === undefined ? {} : { signal }),
    });
    return readAnswer(exchange, prompt, isRepeat);
  };
  const answers: AuditedAnswer[] = [];
  try {
    for (const prompt of first) {
      answers.push(await ask(prompt, false));
      signal?.throwIfAborted();
    }
    await clock.sleep(pauseMs, signal);
    for (const prompt of again) {
      answers.push(await ask(prompt, first.includes(prompt)));
      signal?.throwIfAborted();
    }
  } catch (error) {
    if (signal?.aborted !== true) throw error;
    return [];
  }
  return answers;
}

function fixed(value: number): { readonly kind: "fixed"; readonly value: number } {
  return { kind: "fixed", value };
}

function readAnswer(exchange: Exchange, prompt: number, isRepeat: boolean): AuditedAnswer {
  const facts = factsOf(exchange);
  const { timing, response } = exchange;
  const isAnswered = exchange.failure === null && facts.status !== null && facts.status >= 200 && facts.status < 300;
  const stream = response?.stream ?? null;
  const progress = stream === null ? null : followStream(stream, facts.eventValues);
  const head = firstObject(facts);
  return {
    prompt,
    isRepeat,
    sentMs: timing.sentMs,
    answeredMs: isAnswered ? (progress?.lastContentMs ?? timing.endMs) : null,
    cacheFields: response === null ? [] : cacheFieldsOf(response.headers),
    id: typeof head?.["id"] === "string" && head["id"] !== "" ? head["id"].slice(0, 128) : null,
    created: typeof head?.["created"] === "number" ? head["created"] : null,
    outputTokens: facts.usage?.completionTokens ?? progress?.contentEvents ?? null,
  };
}

function firstObject(facts: ExchangeFacts): Readonly<Record<string, unknown>> | null {
  const value = facts.response?.stream == null ? facts.responseJson : facts.eventValues[0];
  return isJsonObject(value) ? value : null;
}

/** Fields by which HTTP caches and gateways say that they have answered themselves. */
const statusFields: readonly string[] = ["x-cache", "x-cache-status", "cf-cache-status", "cache-status"];

function cacheFieldsOf(headers: Parameters<typeof headerValues>[0]): readonly string[] {
  const ages = headerValues(headers, "age").filter((value) => /^\d{1,9}$/.test(value.trim()));
  const hits = statusFields.flatMap((name) =>
    headerValues(headers, name).some((value) => /\bhit\b/i.test(value)) ? [`${name}: hit`] : [],
  );
  return [...ages.slice(0, 1).map((value) => `age: ${value.trim()}`), ...hits];
}
