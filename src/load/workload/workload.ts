import { endpoints } from "../../core/exchange/endpoint.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { Random } from "../../core/random.ts";
import type { SendBody } from "../../core/exchange/send-request.ts";
import { mostPromptTokens, worstTextCost } from "../../core/cost-estimate.ts";
import { plannedSend } from "../profile/planned-send.ts";
import { answersOf, offersTools, chatBody, type ChatDraw, type ChatItem, drawChat, mostAnswerBytes } from "./chat-request.ts";
import { drawIndex, drawLength } from "./draw-length.ts";
import { embeddingsBody } from "./embeddings-body.ts";
import type { ChatMessage, WorkloadEndpoint, WorkloadItem } from "../profile/workload-item.ts";
import type { LeaveAfter } from "../profile/file/workload-file.ts";
import type { PlannedSend } from "../profile/planned-send.ts";
import { toneOf, waveFile } from "../../core/exchange/bodies/wave-file.ts";
import { describeBlockers } from "../profile/blocker.ts";
import { workloadBlockers } from "../profile/workload-blockers.ts";
import { writeBeginning, writePrompt, writeWords } from "./write-prompt.ts";

/** A request of the workload, ready to send; the body is serialized beforehand so that sending costs no stringify. */
export interface LoadRequest {
  readonly item: WorkloadItem;
  readonly endpoint: WorkloadEndpoint;
  readonly method: string;
  readonly path: string;
  readonly body: SendBody | null;
  /** Worst case, reserved in the budget before the send. */
  readonly reserve: { readonly tokens: number; readonly costUsd: number };
  readonly messages: readonly ChatMessage[] | null;
  /** Tokens that were asked for; null where no number was. */
  readonly askedPrompt: number | null;
  readonly askedOutput: number | null;
  /** Fields beside the generated ones; null: none. */
  readonly headers: Readonly<Record<string, string>> | null;
  /** When its client goes away; null: it stays. */
  readonly leave: LeaveAfter | null;
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
}

/** Throws RangeError that lists everything the manifest lacks for this workload. */
export function createWorkload(items: readonly WorkloadItem[], context: WorkloadContext): Workload {
  const lacking = workloadBlockers({ workload: items, key: context.keyName }, context.manifest);
  if (lacking.length > 0) throw new RangeError(describeBlockers(lacking).join("; "));
  const weights = items.map((item) => item.weight);
  const answerBytes = mostAnswerBytes(items);
  const prefixes = new Map<WorkloadItem, string>();
  for (const item of items) {
    if (item.endpoint !== "chat" || item.sharedPrefixTokens === 0) continue;
    prefixes.set(item, writeWords(item.sharedPrefixTokens, context.random.fork(`prefix/${item.label}`), item.words));
  }
  // A request without anything drawn is built once: a closed loop sends tens of thousands a second.
  const isConstant = items.length === 1 && items[0]?.endpoint === "models";
  let constant: LoadRequest | null = null;
  return {
    request(index, planned, history = []) {
      if (constant !== null) return constant;
      const random = context.random.fork(`request/${index}`);
      const drawn = items[drawIndex(weights, random)];
      const item = planned.label === undefined ? drawn : (items.find(({ label }) => label === planned.label) ?? drawn);
      if (item === undefined) throw new RangeError("the workload is empty");
      const prefix = prefixes.get(item) ?? "";
      const request = buildRequest(item, { index, planned, history, random, prefix, answerBytes, context });
      if (isConstant) constant = request;
      return request;
    },
  };
}

/** For transcription under load. */
function quietTone(seconds: number): Uint8Array {
  const samplesPerSecond = 8000;
  const samples = Math.max(1, Math.round(seconds * samplesPerSecond));
  return waveFile({ samplesPerSecond, bits: 16, samples, sampleAt: toneOf(220, samplesPerSecond, 2000) });
}

/** A send of which nothing is planned. */
export const noPlan: PlannedSend = plannedSend(0);

interface Draw extends ChatDraw {
  readonly context: WorkloadContext;
}

function buildRequest(item: WorkloadItem, draw: Draw): LoadRequest {
  const { prices } = draw.context.manifest;
  const base = {
    item,
    endpoint: item.endpoint,
    ...route(item, draw.context),
    messages: null,
    askedPrompt: null,
    askedOutput: null,
    headers: null,
    leave: null,
  };
  switch (item.endpoint) {
    case "chat": {
      const { messages, outputTokens, rowBody, askedPrompt } = drawChat(item, draw);
      const body = json(chatBody(item, draw.context.manifest, messages, outputTokens, rowBody));
      const answers = answersOf(item.body, rowBody);
      const reserve = worstTextCost(mostPromptTokens(bytesOf(body), offersTools(item, rowBody)), answers * outputTokens, prices);
      const asked = { askedPrompt, askedOutput: answers === 1 ? outputTokens : null };
      return {
        ...base,
        body,
        reserve,
        messages,
        ...asked,
        headers: sessionHeaders(item, draw),
        leave: drawLeave(item, draw.random),
      };
    }
    case "embeddings": {
      const batch = Math.max(1, drawLength(item.batch, draw.random));
      const lengths = Array.from({ length: batch }, () => Math.max(1, drawLength(item.inputTokens, draw.random)));
      const input = lengths.map((tokens, place) => inputText(item, draw.index * batch + place, tokens, draw.random));
      const body = json(embeddingsBody(item, draw.context.manifest, batch === 1 ? (input[0] ?? "") : input));
      return { ...base, body, reserve: worstTextCost(mostPromptTokens(bytesOf(body), false), 0, prices) };
    }
    case "images": {
      const value = { prompt: writePrompt(20, "", draw.random), n: item.n, size: item.size, quality: item.quality };
      return { ...base, body: json(value), reserve: { tokens: 0, costUsd: item.n * prices.perImage } };
    }
    case "transcriptions": {
      const seconds = Math.max(1, drawLength(item.audioSeconds, draw.random));
      const parts = [
        { name: "model", value: draw.context.manifest.models.transcription ?? "" },
        { name: "file", value: quietTone(seconds), filename: "tone.wav", contentType: "audio/wav" },
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

/** A router that keeps a conversation where it began goes by such a field. */
function sessionHeaders({ sessionHeader }: ChatItem, { index, planned, context }: Draw): LoadRequest["headers"] {
  if (sessionHeader === undefined) return null;
  const name = planned.session === null ? `request/${index}` : `conversation/${planned.session}`;
  const random = context.random.fork(`session-header/${name}`);
  const word = (): string =>
    Math.floor(random.next() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  return { [sessionHeader]: `${word()}${word()}` };
}

/** From a stream of its own: bodies are the same with it and without. */
function drawLeave({ leave }: ChatItem, random: Random): LeaveAfter | null {
  return leave !== undefined && random.fork("leave").next() < leave.share ? leave.after : null;
}

/** Of a row where there are rows, else generated. */
function inputText(
  item: Extract<WorkloadItem, { endpoint: "embeddings" }>,
  position: number,
  tokens: number,
  random: Random,
): string {
  const row = item.prompts?.[position % item.prompts.length];
  if (row === undefined) return writePrompt(tokens, "", random, item.words);
  const text = row.messages.map(({ content }) => content).join("\n");
  return item.uniqueBeginnings ? `${writeBeginning("", random, item.words)} ${text}` : text;
}

function bytesOf(body: RawBody): number {
  return Buffer.byteLength(body.bytes);
}

type RawBody = Extract<SendBody, { kind: "raw" }>;

function json(value: unknown): RawBody {
  return { kind: "raw", bytes: JSON.stringify(value), contentType: "application/json" };
}
