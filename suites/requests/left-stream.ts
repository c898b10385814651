import type { CaseRequest } from "../../src/conformance/plan/case.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import { chatRequest } from "./chat-request.ts";

/** Tokens of such a stream at most. */
export const leftStreamTokens = 260;

/** A long stream that its client leaves after the head and the first tokens. */
export function leftStream(manifest: Manifest, label: string): CaseRequest {
  const messages = [{ role: "user", content: "Write a long story about a lighthouse." }];
  const purpose = "leave a stream after its first tokens";
  const request = chatRequest(manifest, label, { messages, max_tokens: 240, stream: true }, { kind: "housekeeping", purpose });
  return { ...request, leaveAfterBytes: 600 };
}
