import type { Manifest } from "../../core/manifest.ts";
import { mostPromptTokens, worstTextCost, type WorstCase } from "../../core/cost-estimate.ts";
import {
  answerBytesPerToken,
  answersOf,
  chatBody,
  mostAnswerBytes,
  offersTools,
  mostOutputTokens,
  type ChatItem,
} from "../workload/chat-request.ts";
import { longestLength } from "../workload/draw-length.ts";
import { embeddingsBody } from "../workload/embeddings-body.ts";
import type { ChatMessage, PromptRow, WorkloadItem } from "../profile/workload-item.ts";
import type { PlannedSend } from "../profile/planned-send.ts";
import { longestBeginningBytes, longestPromptBytes } from "../workload/write-prompt.ts";

type Drawn = Pick<PlannedSend, "promptTokens" | "outputTokens" | "messages">;
type Prepared = Pick<Manifest, "models" | "features" | "prices">;

/** The most that one planned send can cost, all its turns together, whichever item of the workload it becomes. */
export function worstCaseOfSend(
  items: readonly WorkloadItem[],
  manifest: Prepared,
  { turns, later = [], ...first }: Drawn & Pick<PlannedSend, "turns" | "later">,
): WorstCase {
  const drawn: readonly Drawn[] = [first, ...later];
  // Every turn carries all messages before it, of whichever items they were.
  const askedBytes = Math.max(0, ...items.map((item) => (item.endpoint === "chat" ? mostAskedBytes(item, drawn) : 0)));
  const tracedBytes = answerBytesPerToken * Math.max(...drawn.map(({ outputTokens }) => outputTokens ?? 0));
  const answeredBytes = messageBytes({ role: "assistant", content: "" }) + Math.max(mostAnswerBytes(items), tracedBytes);
  const sum = { tokens: 0, costUsd: 0 };
  for (let turn = 0; turn < turns; turn += 1) {
    const costs = items.map((item) => worstCaseOf(item, manifest, drawn, turn * (askedBytes + answeredBytes)));
    sum.tokens += Math.max(0, ...costs.map(({ tokens }) => tokens));
    sum.costUsd += Math.max(0, ...costs.map(({ costUsd }) => costUsd));
  }
  return sum;
}

/** The most that one request of an item can cost, after so many bytes of conversation. */
function worstCaseOf(item: WorkloadItem, manifest: Prepared, drawn: readonly Drawn[], historyBytes: number): WorstCase {
  const { prices } = manifest;
  switch (item.endpoint) {
    case "chat": {
      const outputTokens = Math.max(1, ...drawn.map((turn) => turn.outputTokens ?? mostOutputTokens(item)));
      const rowBodies = (item.prompts ?? []).map(({ body = {} }) => body);
      const frameBytes = jsonBytes(chatBody(item, named(manifest), [], outputTokens));
      const rowBytes = Math.max(0, ...rowBodies.map((body) => jsonBytes(body)));
      const bytes = frameBytes + rowBytes + historyBytes + mostAskedBytes(item, drawn);
      const isTooled = [{}, ...rowBodies].some((body) => offersTools(item, body));
      return worstTextCost(mostPromptTokens(bytes, isTooled), answersOf(item.body, ...rowBodies) * outputTokens, prices);
    }
    case "embeddings": {
      const batch = Math.max(1, Math.ceil(longestLength(item.batch)));
      const longest =
        item.prompts === null
          ? longestPromptBytes(Math.max(1, longestLength(item.inputTokens)), 0)
          : longestBeginningBytes(0) + mostRowBytes(item.prompts);
      const bytes = jsonBytes(embeddingsBody(item, named(manifest), [])) + batch * (longest + '"",'.length);
      return worstTextCost(mostPromptTokens(bytes, false), 0, prices);
    }
    case "images":
      return { tokens: 0, costUsd: item.n * prices.perImage };
    case "transcriptions":
      return { tokens: 0, costUsd: (Math.max(1, Math.ceil(longestLength(item.audioSeconds))) / 60) * prices.perAudioMinute };
    case "models":
    case "usage":
    case "key-settings":
      return { tokens: 0, costUsd: 0 };
    default:
      return item satisfies never;
  }
}

/** Bytes of JSON of what one turn adds to the messages. */
function mostAskedBytes(item: ChatItem, drawn: readonly Drawn[]): number {
  return Math.max(...drawn.map((turn) => askedBytes(item, turn)));
}

function askedBytes(item: ChatItem, { messages, promptTokens }: Drawn): number {
  if (messages !== undefined) return mostRowBytes([{ messages, maxTokens: null }]);
  if (item.prompts !== null) return longestBeginningBytes(item.sharedPrefixTokens) + mostRowBytes(item.prompts);
  const tokens = promptTokens ?? longestLength(item.promptTokens);
  return messageBytes({ role: "user", content: "" }) + longestPromptBytes(tokens, item.sharedPrefixTokens);
}

function mostRowBytes(rows: readonly PromptRow[]): number {
  return Math.max(...rows.map(({ messages }) => messages.reduce((sum, message) => sum + messageBytes(message), 0)));
}

function messageBytes(message: ChatMessage): number {
  return jsonBytes(message) + ",".length;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** A model that is not chosen yet has a name of some length. */
function named({ models, features }: Prepared): Pick<Manifest, "models" | "features"> {
  const unknown = "?".repeat(200);
  return { features, models: { ...models, chat: models.chat ?? unknown, embedding: models.embedding ?? unknown } };
}
