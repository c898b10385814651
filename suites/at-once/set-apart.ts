import type { CaseTools } from "../../src/conformance/plan/case.ts";
import type { EndpointId } from "../../src/core/exchange/endpoint.ts";
import type { ExchangeFacts } from "../../src/core/exchange/exchange-facts.ts";
import { jsonRequest } from "../requests/json-request.ts";
import { subjects, textOf } from "./at-once-tools.ts";

/** Chats in flight together, the one afterwards, and a few that a limiter may give back meanwhile. */
const chatsToCome = 2 * subjects.length + 6;

/** Embeddings that set the two windows apart, at most. */
export const mostApart: number = 2 * subjects.length + chatsToCome;

/**
 * Fields of two operations whose windows state about the same number do not show whose they are. Embeddings are asked until what remains of
 * them lies below all that chat will state. Nothing is asked where the numbers differ anyway, or where embeddings have no room for it.
 */
export async function setApart(tools: CaseTools, alone: readonly ExchangeFacts[]): Promise<void> {
  const chat = remainingOf(alone, "chat");
  const embeddings = remainingOf(alone, "embeddings");
  const { embedding: model } = tools.manifest.models;
  if (model === null || chat === null || embeddings === null) return;
  const below = chat.last - chatsToCome;
  const isAbove = embeddings.last - subjects.length > chat.first;
  const count = isAbove ? 0 : embeddings.last - below;
  if (count > mostApart || embeddings.last < count + 2 * subjects.length) return;
  for (let sent = 1; sent <= count; sent += 1) {
    await tools.send(jsonRequest("embeddings", `apart-${sent}`, { model, input: textOf(0) }));
  }
}

/** The numbers that remain after the first and the last answer of the window that is open now. */
function remainingOf(
  alone: readonly ExchangeFacts[],
  endpoint: EndpointId,
): { readonly first: number; readonly last: number } | null {
  const shown = alone.filter((one) => one.endpoint === endpoint).map(({ rateLimit }) => rateLimit.requests);
  const last = shown.at(-1);
  if (last?.reset?.kind !== "instant" || last.remaining === null) return null;
  const { unixMs } = last.reset;
  const first = shown.find(({ reset }) => reset?.kind === "instant" && reset.unixMs === unixMs)?.remaining ?? last.remaining;
  return { first, last: last.remaining };
}
