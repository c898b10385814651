import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { framingOf } from "../../judging/is-framing-refusal.ts";
import { growingPrompts } from "./growing-prompts.ts";
import { ownChunks } from "./own-chunks.ts";
import type { Relation } from "./relation.ts";
import { statedAlike } from "./stated-alike.ts";
import { streamedText } from "./streamed-text.ts";

/** Members that decide which tokens a prompt has. */
const promptMembers = ["model", "messages", "tools", "reasoning_effort"] as const;

/** The prompt of a valid request to a valid key. */
function promptOf(exchange: ExchangeFacts): string | null {
  const { endpoint, requestObject, keyName, intent } = exchange;
  if (endpoint !== "chat" || keyName === null || requestObject === null || intent.kind === "violates") return null;
  return JSON.stringify(promptMembers.map((name) => requestObject[name] ?? null));
}

const prompts = (exchange: ExchangeFacts): number | null => exchange.usage?.promptTokens ?? null;

const differences = [
  {
    id: "streamed",
    varies: "the delivery: in one piece or as a stream",
    differs: ({ asksForStream }: ExchangeFacts): string => (asksForStream ? "as a stream" : "in one piece"),
  },
  {
    id: "lengths",
    varies: "max_tokens",
    differs: ({ requestObject }: ExchangeFacts): string => `max_tokens ${JSON.stringify(requestObject?.["max_tokens"] ?? null)}`,
  },
  {
    id: "temperatures",
    varies: "the temperature",
    differs: ({ requestObject }: ExchangeFacts): string =>
      `temperature ${JSON.stringify(requestObject?.["temperature"] ?? null)}`,
  },
  { id: "framings", varies: "the framing of the body: with a length, in chunks, or after 100 Continue", differs: framingOf },
  { id: "keys", varies: "the key", differs: ({ keyName }: ExchangeFacts): string => `key ${keyName}` },
] as const;

/** Conversations that end with the same message. */
const conversation: Relation = growingPrompts({
  id: "chat/longer-conversation/usage.prompt_tokens",
  requirement: "CMPL-025",
  says: "earlier messages of a conversation are not counted as its prompt",
  held: "model, tools, reasoning_effort and the last messages of two chat requests",
  varies: "the messages before them",
  agrees: "usage.prompt_tokens: more of them where there are more messages",
  shares: "end",
  read(exchange) {
    const { requestObject } = exchange;
    const messages = promptOf(exchange) === null ? null : requestObject?.["messages"];
    if (!Array.isArray(messages) || messages.length === 0) return null;
    const beside = ["model", "tools", "reasoning_effort"].map((name) => requestObject?.[name] ?? null);
    return { beside: JSON.stringify(beside), parts: messages.map((message) => JSON.stringify(message)) };
  },
});

const samePrompts: readonly Relation[] = differences.map(({ id, varies, differs }) =>
  statedAlike({
    id: `chat/same-prompt/${id}/usage.prompt_tokens`,
    requirement: "CMPL-024",
    says: "equal prompts are reported with different prompt tokens",
    held: "model, messages, tools and reasoning_effort of two chat requests",
    varies,
    agrees: "usage.prompt_tokens",
    alike: promptOf,
    differs,
    read: prompts,
  }),
);

export const chatRelations: readonly Relation[] = [...samePrompts, conversation, streamedText, ownChunks];
