import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { ExamRequest } from "../probe/exam-request.ts";

/** Requests that cost a fraction of a cent each, by what is bought. */
export const cheapPhases = ["cheap-chat", "cheap-stream", "cheap-embedding"] as const;

export type CheapPhase = (typeof cheapPhases)[number] & LimitPhases["spend"];

export const cheapNames: Readonly<Record<CheapPhase, string>> = {
  "cheap-chat": "chat",
  "cheap-stream": "chat, streamed",
  "cheap-embedding": "embeddings",
};

/** A quarter of a cent: rounded by call to whole cents it is nothing, or four times as much. */
export const wantedCents = 0.25;
const leastWords = 50;
/** Longer prompts are refused by models with a short context. */
const mostWords = 3000;

/** Words of a prompt that cost as much by the manifest, a token each. */
export function cheapWords({ prices: { perMillionPromptTokens } }: Pick<Manifest, "prices">): number {
  const words = Math.ceil((wantedCents * 1e4) / perMillionPromptTokens);
  return Math.min(mostWords, Math.max(leastWords, Number.isFinite(words) ? words : mostWords));
}

/** The kinds for which the manifest names a model. */
export function cheapPhasesOf({ models }: Pick<Manifest, "models">): readonly CheapPhase[] {
  return cheapPhases.filter((phase) => (phase === "cheap-embedding" ? models.embedding : models.chat) !== null);
}

/** Its mark, which it begins with, is its own: a cached prompt may cost less. */
export function cheapRequest(
  manifest: Manifest,
  { key, kind, phase }: { readonly key: string; readonly kind: CheapPhase; readonly phase: LimitPhases["spend"] },
): ExamRequest {
  const text = Array.from({ length: cheapWords(manifest) }, (_, index) => String.fromCodePoint(97 + (index % 26))).join(" ");
  if (kind === "cheap-embedding") {
    const value = { model: manifest.models.embedding, input: text };
    return { policy: "spend", phase, key, endpoint: "embeddings", body: { kind: "json", value } };
  }
  const plain = { model: manifest.models.chat, messages: [{ role: "user", content: text }], max_tokens: 4 };
  const value = kind === "cheap-stream" ? { ...plain, stream: true } : plain;
  return { policy: "spend", phase, key, endpoint: "chat", body: { kind: "json", value } };
}
