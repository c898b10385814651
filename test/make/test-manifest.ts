import { completeManifest } from "../../src/config/complete-manifest.ts";
import type { Manifest } from "../../src/core/manifest.ts";

/** A manifest for a server on this machine with the keys primary and secondary. */
export function testManifest(
  baseUrl: string,
  changes: {
    readonly timeoutMs?: number;
    readonly headers?: Record<string, string>;
    readonly budget?: Partial<Manifest["budget"]>;
    readonly tls?: Partial<Manifest["target"]["tls"]>;
    readonly proxy?: string;
  } = {},
): Manifest {
  const { timeoutMs = 60_000, headers = {}, budget = {}, tls = {}, proxy } = changes;
  return completeManifest({
    target: { name: "test server", baseUrl, plan: "starter", timeoutMs, headers, tls, ...(proxy === undefined ? {} : { proxy }) },
    keys: { primary: "sk_test_Primary0123456789", secondary: "sk_test_Secondary9876543210" },
    models: { chat: "chat-model" },
    exclusive: true,
    budget,
    prices: { perMillionPromptTokens: 1, perMillionCompletionTokens: 2, perImage: 0.04, perAudioMinute: 0.006 },
  });
}
