import type { Manifest, ManifestKey } from "../../src/core/manifest.ts";

/** A manifest for a server on this machine with the keys primary and secondary. */
export function testManifest(
  baseUrl: string,
  changes: {
    readonly timeoutMs?: number;
    readonly headers?: Record<string, string>;
    readonly budget?: Partial<Manifest["budget"]>;
  } = {},
): Manifest {
  const key = (secret: string): ManifestKey => ({ secret, id: null, createdAtMs: null });
  return {
    target: {
      name: "test server",
      baseUrl,
      plan: "starter",
      timeoutMs: changes.timeoutMs ?? 2000,
      headers: changes.headers ?? {},
      tls: { rejectUnauthorized: true, caFile: null },
    },
    keys: { primary: key("sk_test_Primary0123456789"), secondary: key("sk_test_Secondary9876543210") },
    models: { chat: "chat-model", embedding: null, transcription: null },
    features: {},
    limits: { requestsPerMinute: null, tokensPerMinute: null, algorithm: null, queueing: "unknown" },
    permissions: {
      patchSettings: false,
      exhaustLimits: false,
      spendUpToCents: 0,
      fetchImages: false,
      createKeyProbe: false,
      faultTriggers: false,
      loadUpToRps: null,
    },
    restore: { keys: {}, account: null },
    faults: {},
    foreignKeyId: null,
    propagationSeconds: 60,
    exclusive: true,
    budget: { maxRequests: null, maxTokens: null, maxCostUsd: null, ...changes.budget },
    prices: { perMillionPromptTokens: 1, perMillionCompletionTokens: 2, perImage: 0.04, perAudioMinute: 0.006 },
    baseline: [],
    control: null,
  };
}
