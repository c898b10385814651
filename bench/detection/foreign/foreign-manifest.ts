import type { Manifest } from "../../../src/core/manifest.ts";
import type { ForeignService } from "./foreign-service.ts";
import { audioModel, chatModel, vectorModel } from "./work.ts";

/** The manifest that the owner of the foreign service would write. */
export function foreignManifest({ url, book }: ForeignService, timeoutMs: number): Manifest {
  const own = [...book.holders].filter(([name]) => name !== "foreign");
  return {
    target: {
      name: "foreign service",
      baseUrl: url,
      plan: "pro",
      timeoutMs,
      bodyIdleMs: timeoutMs,
      bodyTotalMs: 3 * timeoutMs,
      headers: {},
      tls: { rejectUnauthorized: true, caFile: null },
    },
    keys: Object.fromEntries(own.map(([name, { id, secret }]) => [name, { id, secret, createdAtMs: null }])),
    models: { chat: chatModel, embedding: vectorModel, transcription: audioModel },
    features: { usageSettleSeconds: 2 },
    limits: { requestsPerMinute: null, tokensPerMinute: null, algorithm: null, queueing: "reject" },
    permissions: {
      patchSettings: true,
      exhaustLimits: true,
      spendUpToCents: 100,
      fetchImages: true,
      createKeyProbe: true,
      faultTriggers: true,
      loadUpToRps: null,
    },
    restore: {
      keys: Object.fromEntries(own.map(([name, { settings }]) => [name, { ...settings }])),
      account: { account_spend_cap: null },
    },
    faults: Object.fromEntries(
      ["500", "502", "503"].map((status) => [status, { headers: { "x-please-fail": status }, path: null }]),
    ),
    foreignKeyId: book.holders.get("foreign")?.id ?? null,
    propagationSeconds: 0,
    exclusive: true,
    budget: { maxRequests: null, maxTokens: null, maxCostUsd: null },
    prices: { perMillionPromptTokens: 2, perMillionCompletionTokens: 8, perImage: 0.002, perAudioMinute: 0.004 },
    declaredPrices: ["perMillionPromptTokens", "perMillionCompletionTokens", "perImage", "perAudioMinute"],
    baseline: [],
    require: [],
    waive: [],
    control: null,
  };
}
