import { endpoints } from "../core/endpoint.ts";
import type { Manifest, Prices } from "../core/manifest.ts";
import type { Random } from "../core/random.ts";
import type { SendBody } from "../core/send-request.ts";
import { drawIndex, drawLength, longestLength } from "./draw-length.ts";
import type { PlannedSend, WorkloadEndpoint, WorkloadItem } from "./load-profile.ts";
import { makeWave } from "./make-wave.ts";
import { writePrompt, writeWords } from "./write-prompt.ts";

/** A request of the workload, ready to send; the body is serialized beforehand so that sending costs no stringify. */
export interface LoadRequest {
  readonly item: WorkloadItem;
  readonly endpoint: WorkloadEndpoint;
  readonly method: string;
  readonly path: string;
  readonly body: SendBody | null;
  /** Server-sent events are asked for. */
  readonly stream: boolean;
  /** Worst case, reserved in the budget before the send. */
  readonly reserve: { readonly tokens: number; readonly costUsd: number };
  readonly messages: readonly ChatMessage[] | null;
}

export interface ChatMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

export interface WorkloadContext {
  readonly manifest: Manifest;
  readonly keyName: string;
  readonly random: Random;
  /** Unix milliseconds, for the window of usage queries. */
  wallMs(): number;
}

export interface Workload {
  /** The request for the `index`-th send; equal seeds give equal requests whatever the timing. */
  request(index: number, planned: PlannedSend, history?: readonly ChatMessage[]): LoadRequest;
  describe(): string;
}

/** Throws RangeError that lists everything the manifest lacks for this workload. */
export function createWorkload(items: readonly WorkloadItem[], context: WorkloadContext): Workload {
  const lacking = items.flatMap((item) => missingFor(item, context));
  if (lacking.length > 0) throw new RangeError([...new Set(lacking)].join("; "));
  const weights = items.map((item) => item.weight);
  const prefixes = new Map<WorkloadItem, string>();
  for (const item of items) {
    const tokens = item.endpoint === "chat" ? item.sharedPrefixTokens : 0;
    prefixes.set(item, tokens > 0 ? writeWords(tokens, context.random.fork(`prefix/${item.label}`)) : "");
  }
  // A request without anything drawn is built once: a closed loop sends tens of thousands a second.
  const [only] = items;
  const constant = items.length === 1 && only?.endpoint === "models" ? only : null;
  const same =
    constant === null
      ? null
      : buildRequest(constant, { index: 0, planned: noPlan, history: [], random: context.random, prefix: "", context });
  return {
    request(index, planned, history = []) {
      if (same !== null) return same;
      const random = context.random.fork(`request/${index}`);
      const item = items[drawIndex(weights, random)];
      if (item === undefined) throw new RangeError("the workload is empty");
      return buildRequest(item, { index, planned, history, random, prefix: prefixes.get(item) ?? "", context });
    },
    describe: () => {
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      return items.map((item) => `${Math.round((100 * item.weight) / total)} % ${item.label}`).join(", ");
    },
  };
}

const noPlan: PlannedSend = { atMs: 0, session: null, turns: 1, promptTokens: null, outputTokens: null, step: 0 };

interface Draw {
  readonly index: number;
  readonly planned: PlannedSend;
  readonly history: readonly ChatMessage[];
  readonly random: Random;
  readonly prefix: string;
  readonly context: WorkloadContext;
}

function buildRequest(item: WorkloadItem, draw: Draw): LoadRequest {
  const { prices } = draw.context.manifest;
  const base = { item, endpoint: item.endpoint, ...route(item, draw.context), stream: false, messages: null };
  switch (item.endpoint) {
    case "chat":
      return chatRequest(item, draw);
    case "embeddings": {
      const batch = Math.max(1, drawLength(item.batch, draw.random));
      const lengths = Array.from({ length: batch }, () => Math.max(1, drawLength(item.inputTokens, draw.random)));
      const input = lengths.map((tokens) => writePrompt(tokens, "", draw.random));
      const tokens = 2 * lengths.reduce((sum, length) => sum + length + 6, 0);
      const value = {
        model: draw.context.manifest.models.embedding,
        input: batch === 1 ? input[0] : input,
        encoding_format: item.encodingFormat,
      };
      return { ...base, body: json(value), reserve: { tokens, costUsd: promptCost(tokens, prices) } };
    }
    case "images": {
      const value = { prompt: writePrompt(20, "", draw.random), n: item.n, size: item.size, quality: item.quality };
      return { ...base, body: json(value), reserve: { tokens: 0, costUsd: item.n * prices.perImage } };
    }
    case "transcriptions": {
      const seconds = Math.max(1, drawLength(item.audioSeconds, draw.random));
      const parts = [
        { name: "model", value: draw.context.manifest.models.transcription ?? "" },
        { name: "file", value: makeWave(seconds), filename: "tone.wav", contentType: "audio/wav" },
      ];
      return {
        ...base,
        body: { kind: "multipart", parts },
        reserve: { tokens: 0, costUsd: (seconds / 60) * prices.perAudioMinute },
      };
    }
    case "models":
    case "usage":
      return { ...base, body: null, reserve: { tokens: 0, costUsd: 0 } };
    case "key-settings": {
      const restore = draw.context.manifest.restore.keys[draw.context.keyName] ?? {};
      return { ...base, body: json(restore), reserve: { tokens: 0, costUsd: 0 } };
    }
    default:
      return item satisfies never;
  }
}

function chatRequest(item: Extract<WorkloadItem, { endpoint: "chat" }>, draw: Draw): LoadRequest {
  const { manifest } = draw.context;
  const promptTokens = draw.planned.promptTokens ?? drawLength(item.promptTokens, draw.random);
  const outputTokens = Math.max(1, draw.planned.outputTokens ?? drawLength(item.outputTokens, draw.random));
  const listed = item.prompts?.[draw.index % item.prompts.length];
  const content = listed ?? writePrompt(promptTokens, draw.prefix, draw.random);
  const messages = [...draw.history, { role: "user" as const, content }];
  const value = {
    model: manifest.models.chat,
    messages,
    max_tokens: outputTokens,
    ...(item.stream ? { stream: true } : {}),
    // Not in the specification, so only where the owner says that the target takes it.
    ...(item.stream && manifest.features["streamUsage"] === true ? { stream_options: { include_usage: true } } : {}),
    ...(item.tools ? { tools: [weatherTool] } : {}),
  };
  // Twice the words: an upper bound of what usual vocabularies make of short English words.
  const worstPrompt = 2 * messages.reduce((sum, message) => sum + message.content.split(" ").length + 4, 0);
  const costUsd = promptCost(worstPrompt, manifest.prices) + (outputTokens * manifest.prices.perMillionCompletionTokens) / 1e6;
  return {
    item,
    endpoint: "chat",
    ...route(item, draw.context),
    body: json(value),
    stream: item.stream,
    reserve: { tokens: worstPrompt + outputTokens, costUsd },
    messages,
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

function route(item: WorkloadItem, context: WorkloadContext): { readonly method: string; readonly path: string } {
  const { method, path } = endpoints[item.endpoint];
  if (item.endpoint === "key-settings") {
    const id = context.manifest.keys[context.keyName]?.id ?? "";
    return { method, path: path.replace("{key_id}", encodeURIComponent(id)) };
  }
  if (item.endpoint !== "usage") return { method, path };
  const to = context.wallMs();
  const query = new URLSearchParams({
    from: new Date(to - 3_600_000 * item.windowHours).toISOString(),
    to: new Date(to).toISOString(),
    granularity: item.granularity,
  });
  return { method, path: `${path}?${query.toString()}` };
}

function missingFor(item: WorkloadItem, context: WorkloadContext): readonly string[] {
  const { manifest, keyName } = context;
  switch (item.endpoint) {
    case "chat":
      return manifest.models.chat === null ? ["no chat model in the manifest"] : [];
    case "embeddings":
      return manifest.models.embedding === null ? ["no embedding model in the manifest"] : [];
    case "transcriptions":
      return manifest.models.transcription === null ? ["no transcription model in the manifest"] : [];
    case "key-settings": {
      const problems: string[] = [];
      if (!manifest.permissions.patchSettings) problems.push("permissions.patchSettings is not granted");
      if ((manifest.keys[keyName]?.id ?? null) === null) problems.push(`keys.${keyName} has no id`);
      if (manifest.restore.keys[keyName] === undefined) problems.push(`restore.keys.${keyName} is not declared`);
      return problems;
    }
    case "images":
    case "models":
    case "usage":
      return [];
    default:
      return item satisfies never;
  }
}

/** Most tokens and dollars that one request of this item can cost. */
export function worstCaseOf(item: WorkloadItem, prices: Prices): { readonly tokens: number; readonly costUsd: number } {
  switch (item.endpoint) {
    case "chat": {
      const prompt = 2 * (Math.max(longestLength(item.promptTokens), 7) + 10);
      const output = Math.max(1, longestLength(item.outputTokens));
      return {
        tokens: prompt + output,
        costUsd: promptCost(prompt, prices) + (output * prices.perMillionCompletionTokens) / 1e6,
      };
    }
    case "embeddings": {
      const tokens = 2 * Math.max(1, longestLength(item.batch)) * (longestLength(item.inputTokens) + 8);
      return { tokens, costUsd: promptCost(tokens, prices) };
    }
    case "images":
      return { tokens: 0, costUsd: item.n * prices.perImage };
    case "transcriptions":
      return { tokens: 0, costUsd: (longestLength(item.audioSeconds) / 60) * prices.perAudioMinute };
    case "models":
    case "usage":
    case "key-settings":
      return { tokens: 0, costUsd: 0 };
    default:
      return item satisfies never;
  }
}

function json(value: unknown): SendBody {
  return { kind: "raw", bytes: JSON.stringify(value), contentType: "application/json" };
}

function promptCost(tokens: number, prices: Prices): number {
  return (tokens * prices.perMillionPromptTokens) / 1e6;
}
