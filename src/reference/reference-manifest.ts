import type { Manifest } from "../core/manifest.ts";
import { faultHeader } from "./http/fault-rules.ts";
import type { KeyRecord } from "./engine/keys/key-record.ts";
import { pricesMicros } from "./engine/spend/prices.ts";

export interface ReferenceManifestFacts {
  readonly baseUrl: string;
  readonly control: { readonly url: string; readonly token: string };
  readonly keys: readonly KeyRecord[];
}

/** The manifest with which a run examines the reference service: every fixture, permission and trigger there is. */
export function referenceManifest({ baseUrl, control, keys }: ReferenceManifestFacts): Manifest {
  const own = keys.filter(({ name }) => name !== "foreign");
  const primary = keys.find(({ name }) => name === "primary");
  return {
    target: {
      name: "reference service",
      baseUrl,
      plan: primary?.plan ?? null,
      timeoutMs: 10_000,
      headers: {},
      tls: { rejectUnauthorized: true, caFile: null },
    },
    keys: Object.fromEntries(
      own.map(({ id, secret, name, createdAtMs }) => [name, { secret, id, createdAtMs: name === "fresh" ? createdAtMs : null }]),
    ),
    models: { chat: "reference-chat", embedding: "reference-embedding", transcription: "reference-transcription" },
    features: { tools: true, dimensions: 256, streamUsage: true },
    limits: { requestsPerMinute: null, tokensPerMinute: null, algorithm: null, queueing: "reject" },
    permissions: {
      patchSettings: true,
      exhaustLimits: true,
      spendUpToCents: 500,
      fetchImages: true,
      createKeyProbe: true,
      faultTriggers: true,
      loadUpToRps: null,
    },
    restore: {
      keys: Object.fromEntries(own.map(({ name, settings }) => [name, { ...settings }])),
      account: { account_spend_cap: null },
    },
    faults: Object.fromEntries(
      ["500", "502", "503"].map((status) => [status, { headers: { [faultHeader]: status }, path: null }]),
    ),
    foreignKeyId: keys.find(({ name }) => name === "foreign")?.id ?? null,
    propagationSeconds: 1,
    exclusive: true,
    budget: { maxRequests: null, maxTokens: null, maxCostUsd: null },
    prices: {
      perMillionPromptTokens: pricesMicros.chatPromptToken,
      perMillionCompletionTokens: pricesMicros.chatCompletionToken,
      perImage: pricesMicros.image / 1e6,
      perAudioMinute: (pricesMicros.audioSecond * 60) / 1e6,
    },
    declaredPrices: ["perMillionPromptTokens", "perMillionCompletionTokens", "perImage", "perAudioMinute"],
    baseline: [],
    require: [],
    waive: [],
    control,
  };
}
