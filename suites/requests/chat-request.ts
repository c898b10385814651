import type { CaseRequest } from "../../src/conformance/plan/case.ts";
import type { Intent } from "../../src/core/exchange/intent.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import type { Members } from "./members.ts";
import { jsonRequest } from "./json-request.ts";

/** Tokens of one short chat request at most, prompt and answer. */
export const shortChatTokens = 64;

/** A chat request with a short prompt and a small answer; members given here replace or join them. */
export function chatMembers(manifest: Manifest, members: Members = {}): Members {
  return { model: manifest.models.chat, messages: [{ role: "user", content: "Say hello." }], max_tokens: 16, ...members };
}

export function chatRequest(manifest: Manifest, label: string, members: Members = {}, intent?: Intent): CaseRequest {
  return jsonRequest("chat", label, chatMembers(manifest, members), intent);
}
