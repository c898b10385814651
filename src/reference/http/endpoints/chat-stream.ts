import { setTimeout as delay } from "node:timers/promises";
import type { Ticket } from "../../engine/admission.ts";
import type { Pace } from "../../engine/latency/latency-model.ts";
import { chatCostMicros } from "../../engine/spend/prices.ts";
import type { Call } from "../call.ts";
import { completionFacts, type CompletionFacts } from "./chat-completion.ts";
import type { ChatInput } from "./chat-input.ts";
import { composeHead } from "../compose-head.ts";
import { serverTimingHeader } from "../server-timing.ts";
import { createSseWriter, type SseWriter } from "../sse-writer.ts";
import type { StreamFrames } from "./stream-rules.ts";
import { streamStyle } from "./stream-style.ts";
import type { ChunkWords } from "./chunk-shape.ts";

/** Other streams get their turn between two full writes, and a client that left is noticed. */
const pauseBetweenWritesMs = 4;

/** Streams the answer; whatever happens, what was produced until then is settled. */
export async function streamAnswer(call: Call, input: ChatInput, ticket: Ticket, pace: Pace): Promise<void> {
  const { service, response, fault } = call;
  const rules = service.seams.stream;
  const style = rules.style(streamStyle(fault));
  const frames = rules.frames(answerFrames(call, input), input.answer.toolCalls.length > 0);
  let produced = 0;
  const settle = (ended: "completed" | "aborted"): void =>
    ticket.settle({
      ended,
      promptTokens: input.usage.prompt_tokens,
      completionTokens: produced,
      costMicros: rules.costMicros(chatCostMicros(input.usage.prompt_tokens, produced)),
    });
  response.writeHead(
    200,
    composeHead(call, {
      status: 200,
      contentType: rules.mediaType(),
      length: null,
      rate: ticket.rateHeaders(),
      headers: { "cache-control": "no-cache", "x-accel-buffering": "no", ...serverTimingHeader(call, pace) },
    }),
  );
  const writer = createSseWriter(response, style);
  try {
    const isLive = rules.isLive();
    if (isLive) response.flushHeaders();
    for (const opening of frames.opening) rules.emit(writer, opening());
    if (isLive) await writer.flush();
    if (fault?.delayBeforeFirstTokenMs !== undefined) pace.stall(0, fault.delayBeforeFirstTokenMs);
    while (produced < frames.tokens.length) {
      produced = await writeDue(call, writer, frames.tokens, produced, pace);
      if (produced >= Math.ceil(frames.tokens.length / 2) && (await breaksOff(call, writer))) return settle("aborted");
    }
    settle("completed");
    for (const closing of [...frames.finish, ...frames.usage]) rules.emit(writer, closing());
    rules.beforeDone(response);
    if (style.done) rules.emit(writer, frames.done);
    rules.afterDone(writer, frames.done);
    await writer.flush();
    rules.end(response);
  } catch (error) {
    settle("aborted");
    if (!response.destroyed) throw error;
  }
}

/** Writes every token that is due, waiting for the next one first; returns how many were produced so far. */
async function writeDue(
  call: Call,
  writer: SseWriter,
  tokens: readonly (() => string)[],
  from: number,
  pace: Pace,
): Promise<number> {
  const { service, fault } = call;
  const { clock } = service.engine;
  const rules = service.seams.stream;
  const betweenMs = fault?.delayBetweenTokensMs ?? 0;
  const tokensPerWrite = rules.tokensPerWrite();
  if (betweenMs > 0 && from > 0) pace.stall(from, betweenMs);
  const together = Math.min(from + rules.tokensTogether(), tokens.length);
  await clock.sleepUntil(pace.tokenAtMs(together - 1), call.signal());
  const now = clock.wallMs();
  let index = from;
  const until = betweenMs > 0 ? from + 1 : Math.min(from + tokensPerWrite, tokens.length);
  do {
    rules.emit(writer, tokens[index]!());
    index += 1;
  } while (index < together || (index < until && pace.tokenAtMs(index) <= now));
  if (!rules.isLive()) return index;
  await writer.flush();
  if (index < tokens.length && index - from === tokensPerWrite)
    await delay(pauseBetweenWritesMs, null, { signal: call.signal() });
  if (call.response.destroyed) throw new Error("the client went away");
  return index;
}

/** Faults in the middle of a stream; true when it is over. */
async function breaksOff(call: Call, writer: SseWriter): Promise<boolean> {
  const { fault, incoming, response } = call;
  if (fault?.cut === undefined && fault?.hang !== "mid-stream") return false;
  await writer.flush();
  if (fault.cut === "reset-mid-stream") incoming.socket.resetAndDestroy();
  if (fault.cut === "close-mid-stream") {
    // The bytes that were written have to arrive, so the end comes after the socket's own buffer.
    await delay(1);
    response.destroy();
  }
  return true;
}

function answerFrames(call: Call, input: ChatInput): StreamFrames {
  const { service } = call;
  const { answer, request } = input;
  const reportsUsage = service.seams.stream.reportsUsage(request.stream_options?.include_usage === true);
  const format = createChunkFormat(call, completionFacts(service, input), reportsUsage);
  return {
    opening: [() => format.role()],
    tokens: answer.toolCalls.length === 0 ? answer.tokens.map((token) => () => format.content(token)) : toolFrames(format, input),
    finish: [() => format.finish()],
    usage: reportsUsage ? [() => format.usage()] : [],
    done: "[DONE]",
  };
}

/** The name travels with the first piece of the arguments: one chunk each, but one token. */
function toolFrames(format: ChunkFormat, { answer }: ChatInput): readonly (() => string)[] {
  return answer.toolCalls.flatMap(({ id, name, argumentPieces }, index) =>
    argumentPieces.map(
      (piece, at) => () => (at === 0 ? format.toolCallStart(index, id, name, piece) : format.toolCallArguments(index, piece)),
    ),
  );
}

/** Payloads of a streamed answer in the de facto chunk convention (reading AMB-28); the specification shows none. */
interface ChunkFormat {
  role(): string;
  content(token: string): string;
  toolCallStart(index: number, id: string, name: string, piece: string): string;
  toolCallArguments(index: number, piece: string): string;
  finish(): string;
  /** Chunk without choices that carries the usage. */
  usage(): string;
}

const usualWords: ChunkWords = {
  object: "chat.completion.chunk",
  delta: "delta",
  pendingReason: "null",
  furtherMembers: "",
};

function createChunkFormat(call: Call, facts: CompletionFacts, usageInEveryChunk: boolean): ChunkFormat {
  const { chunks: shape, completion } = call.service.seams;
  const { object, delta, pendingReason, furtherMembers } = shape.words(usualWords);
  const model = JSON.stringify(facts.model);
  let written = 0;
  const head = (): string => {
    written += 1;
    const { id, created } = shape.identity(facts, written);
    return `{"id":"${id}","object":"${object}","created":${created},"model":${model}`;
  };
  const nullUsage = usageInEveryChunk ? ',"usage":null' : "";
  const tail = (): string => {
    const stamps = call.receivedNs === null ? "" : `,"received_ns":${call.receivedNs},"stamp_ns":${process.hrtime.bigint()}`;
    return `${furtherMembers}${stamps}}`;
  };
  const chunk = (members: string, reason: string = pendingReason): string =>
    `${head()},"choices":[{"index":0,"${delta}":{${members}},"finish_reason":${reason}}]${nullUsage}${tail()}`;
  const toolCall = (called: { readonly index: number } & Readonly<Record<string, unknown>>): string =>
    chunk(`"tool_calls":[${JSON.stringify(shape.toolCall(called))}]`);
  return {
    role: () => chunk('"role":"assistant","content":""'),
    content: (token) => chunk(`"content":${JSON.stringify(token)}`),
    toolCallStart: (index, id, name, piece) =>
      toolCall({ index, id, type: "function", function: { name, arguments: completion.argumentsText(piece) } }),
    toolCallArguments: (index, piece) => toolCall({ index, function: { arguments: completion.argumentsText(piece) } }),
    finish: () => chunk("", JSON.stringify(completion.finishReason(facts.answer.finishReason))),
    usage: () => `${head()},"choices":[],"usage":${JSON.stringify(completion.usage(facts.usage))}${tail()}`,
  };
}
