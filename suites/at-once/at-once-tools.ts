import type { CaseRequest, CaseTools } from "../../src/conformance/plan/case.ts";
import type { ExchangeFacts } from "../../src/core/exchange/exchange-facts.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import { chatRequest } from "../requests/chat-request.ts";
import { leftOfWindowMs } from "../requests/left-of-window.ts";
import type { Members } from "../requests/members.ts";

/** Texts that no two requests share, and of lengths that no two share either. */
export const subjects = ["amber", "basalt", "cedar", "delta", "ember", "fjord", "garnet", "harbour"] as const;

export function textOf(place: number): string {
  return `${subjects[place] ?? "quartz"} ${"and one more word ".repeat(3 * place + 1)}`.trim();
}

export function chatOnSubject(manifest: Manifest, label: string, place: number, members: Members = {}): CaseRequest {
  const messages = [{ role: "user", content: `Say one word about ${textOf(place)}.` }];
  return chatRequest(manifest, label, { messages, ...members });
}

const windowMs = 60_000;

/** Remaining has to be counted within one window: if too little of it is left, the wait of a later step happens now. */
export async function waitForRoom(tools: CaseTools, sent: ExchangeFacts, chats: number): Promise<void> {
  const { limit, remaining } = sent.rateLimit.requests;
  const isShort = remaining !== null && limit !== null && remaining < chats && limit > chats;
  const leftMs = leftOfWindowMs(sent);
  // If Date and reset come from clocks that differ, no difference of theirs says how long it is.
  if (isShort) await tools.sleep(leftMs > 0 && leftMs < windowMs ? leftMs + 1000 : windowMs);
}
