import type { CaseRequest } from "../src/conformance/plan/case.ts";
import type { Intent } from "../src/core/exchange/intent.ts";
import type { Manifest } from "../src/core/manifest.ts";
import type { Members } from "./negatives/negative-cases.ts";

/** Tokens of one short chat request at most, prompt and answer. */
export const shortChatTokens = 64;

/** A chat request with a short prompt and a small answer; members given here replace or join them. */
export function chatMembers(manifest: Manifest, members: Members = {}): Members {
  return { model: manifest.models.chat, messages: [{ role: "user", content: "Say hello." }], max_tokens: 16, ...members };
}

export function chatRequest(manifest: Manifest, label: string, members: Members = {}, intent?: Intent): CaseRequest {
  return {
    endpoint: "chat",
    label,
    body: { kind: "json", value: chatMembers(manifest, members) },
    ...(intent === undefined ? {} : { intent }),
  };
}

/** A body of exactly these members, nothing added. */
export function chatBody(label: string, value: Members, intent?: Intent): CaseRequest {
  return { endpoint: "chat", label, body: { kind: "json", value }, ...(intent === undefined ? {} : { intent }) };
}

export function question(requirement: string, text: string): Intent {
  return { kind: "probe-unspecified", requirement, question: text };
}
