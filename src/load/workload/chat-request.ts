import type { Manifest } from "../../core/manifest.ts";
import type { Random } from "../../core/random.ts";
import { drawLength, longestLength } from "./draw-length.ts";
import type { ChatMessage, WorkloadItem } from "../profile/workload-item.ts";
import type { PlannedSend } from "../profile/planned-send.ts";
import { writeBlocks, writeBeginning, writePrompt } from "./write-prompt.ts";

export type ChatItem = Extract<WorkloadItem, { endpoint: "chat" }>;

export interface ChatDraw {
  readonly index: number;
  readonly planned: PlannedSend;
  readonly history: readonly ChatMessage[];
  readonly random: Random;
  readonly prefix: string;
  /** Answers of the history are cut to this many bytes of JSON. */
  readonly answerBytes: number;
  /** The same for every request of a profile: what they share is drawn from it. */
  readonly context: { readonly random: Random };
}

export interface ChatDrawn {
  readonly messages: readonly ChatMessage[];
  readonly outputTokens: number;
  /** Further members that the row states. */
  readonly rowBody: Readonly<Record<string, unknown>>;
  /** Tokens that the prompt is meant to have; null where its text is given, or a history is before it. */
  readonly askedPrompt: number | null;
}

/** Messages and `max_tokens` of one chat request: of a row where there are rows, else generated. */
export function drawChat(item: ChatItem, draw: ChatDraw): ChatDrawn {
  const promptTokens = draw.planned.promptTokens ?? drawLength(item.promptTokens, draw.random);
  const drawn = drawLength(item.outputTokens, draw.random);
  const traced = draw.planned.messages;
  const row = traced === undefined ? item.prompts?.[draw.index % item.prompts.length] : undefined;
  const answerBytes = Math.max(draw.answerBytes, answerBytesPerToken * (draw.planned.outputTokens ?? 0));
  const history = draw.history.map((message) =>
    message.role === "assistant" ? { ...message, content: cutText(message.content, answerBytes) } : message,
  );
  const isWritten = traced === undefined && row === undefined;
  const asked =
    traced ??
    (row === undefined
      ? [writeAsked(item, promptTokens - (item.templateTokens ?? 0), draw)]
      : beginRow(row.messages, item, draw));
  return {
    messages: [...history, ...asked],
    outputTokens: Math.max(1, draw.planned.outputTokens ?? row?.maxTokens ?? drawn),
    rowBody: row?.body ?? {},
    askedPrompt: isWritten && history.length === 0 ? promptTokens : null,
  };
}

function writeAsked({ words }: ChatItem, tokens: number, { planned, prefix, random, context }: ChatDraw): ChatMessage {
  const content =
    planned.blocks === undefined
      ? writePrompt(tokens, prefix, random, words)
      : writeBlocks(planned.blocks, tokens, { prefix, shared: context.random, words });
  return { role: "user", content };
}

/** In front of the first message, whosever it is: a cache matches from there on. */
function beginRow(messages: readonly ChatMessage[], item: ChatItem, { prefix, random }: ChatDraw): readonly ChatMessage[] {
  const beginning = item.uniqueBeginnings ? writeBeginning(prefix, random, item.words) : prefix;
  if (beginning === "") return messages;
  return messages.map((message, place) => (place === 0 ? { ...message, content: `${beginning} ${message.content}` } : message));
}

export function chatBody(
  item: ChatItem,
  { models, features }: Pick<Manifest, "models" | "features">,
  messages: readonly ChatMessage[],
  outputTokens: number,
  rowBody: Readonly<Record<string, unknown>> = {},
): object {
  return {
    ...rowBody,
    ...item.body,
    model: item.model ?? rowBody["model"] ?? models.chat,
    messages,
    max_tokens: outputTokens,
    ...(item.stream ? { stream: true } : {}),
    // Not in the specification, so only where the owner says that the target takes it.
    ...(item.stream && features["streamUsage"] === true ? { stream_options: { include_usage: true } } : {}),
    ...(item.tools ? { tools: [weatherTool] } : {}),
  };
}

const weatherTool: object = {
  type: "function",
  function: {
    name: "get_weather",
    description: "Current weather of a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

/** Bytes of text that a token hardly ever exceeds; a longer answer is carried on cut, so that conversations have a worst case. */
export const answerBytesPerToken = 16;

/** Whether the template of the target has tools to describe. */
export function offersTools(item: ChatItem, rowBody: Readonly<Record<string, unknown>>): boolean {
  return item.tools || "tools" in item.body || "tools" in rowBody || "functions" in rowBody;
}

/** Answers that one request may ask for: each may be as long as `max_tokens` allows. */
export function answersOf(...bodies: readonly Readonly<Record<string, unknown>>[]): number {
  return Math.max(1, ...bodies.flatMap((body) => ["n", "best_of"].map((name) => Number(body[name]) || 1)));
}

/** Bytes of JSON of the longest answer that a conversation carries on. */
export function mostAnswerBytes(items: readonly WorkloadItem[]): number {
  return answerBytesPerToken * Math.max(0, ...items.map((item) => (item.endpoint === "chat" ? mostOutputTokens(item) : 0)));
}

/** The most output tokens of an item if no trace reports the length. */
export function mostOutputTokens(item: ChatItem): number {
  const drawn = Math.max(1, Math.ceil(longestLength(item.outputTokens)));
  return item.prompts === null ? drawn : Math.max(...item.prompts.map(({ maxTokens }) => maxTokens ?? drawn));
}

function cutText(text: string, jsonBytes: number): string {
  // The quotes are not counted.
  if (Buffer.byteLength(JSON.stringify(text)) - 2 <= jsonBytes) return text;
  let left = jsonBytes;
  let end = 0;
  for (const character of text) {
    left -= Buffer.byteLength(JSON.stringify(character)) - 2;
    if (left < 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}
