import type { Lease } from "../../engine/admission.ts";
import type { Pace } from "../../engine/latency/latency-model.ts";
import { chatCostMicros } from "../../engine/spend/prices.ts";
import type { Call } from "../call.ts";
import { answeredModel, type ChatInput } from "./chat-input.ts";
import { createChunkFormat, type ChunkFormat } from "./chat-chunks.ts";
import type { Switchboard } from "../../defects/switch.ts";
import { composeHead } from "../compose-head.ts";
import { serverTimingHeader } from "../server-timing.ts";
import { unixSeconds } from "../service.ts";
import { createSseWriter, type SseWriter } from "../sse-writer.ts";
import { streamStyle } from "./stream-style.ts";

/**
 * Tokens that are due together leave together, but never more than this: a long answer without any latency is still delivered
 * in parts, and other streams get their turn in between.
 */
const tokensPerWrite = 32;
const pauseBetweenWritesMs = 4;

/** Streams the answer; whatever happens, what was produced until then is settled. */
export async function streamAnswer(call: Call, input: ChatInput, lease: Lease, pace: Pace): Promise<void> {
  const { service, response, fault } = call;
  const { switches } = service;
  const style = streamStyle(call);
  const frames = answerFrames(call, input);
  let produced = 0;
  const settle = (ended: "completed" | "aborted"): void =>
    lease.settle({
      ended,
      promptTokens: input.usage.prompt_tokens,
      completionTokens: produced,
      costMicros: switches.on("stream/costs-nothing") ? 0 : chatCostMicros(input.usage.prompt_tokens, produced),
    });
  response.writeHead(
    200,
    composeHead(call, {
      status: 200,
      contentType: streamType(call),
      length: null,
      rate: lease.rateHeaders(),
      headers: { "cache-control": "no-cache", "x-accel-buffering": "no", ...serverTimingHeader(call, pace) },
    }),
  );
  const writer = createSseWriter(response, style);
  try {
    if (!switches.on("stream/buffered")) response.flushHeaders();
    for (const opening of frames.opening) emit(call, writer, opening);
    if (!switches.on("stream/buffered")) await writer.flush();
    if (fault?.delayBeforeFirstTokenMs !== undefined) pace.stall(0, fault.delayBeforeFirstTokenMs);
    while (produced < frames.tokens.length) {
      produced = await writeDue(call, writer, frames.tokens, produced, pace);
      if (produced >= Math.ceil(frames.tokens.length / 2) && (await breaksOff(call, writer))) return settle("aborted");
    }
    settle("completed");
    for (const closing of frames.closing) emit(call, writer, closing);
    if (switches.on("stream/invalid-utf8")) response.write(Buffer.from([0x3a, 0x20, 0xe2, 0x28, 0xa1, 0x0a, 0x0a]));
    if (style.done) emit(call, writer, () => frames.done);
    if (switches.on("stream/last-event-unterminated")) writer.raw(`data: ${frames.done}`);
    await writer.flush();
    if (!switches.on("stream/never-ends")) response.end();
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
  const betweenMs = fault?.delayBetweenTokensMs ?? 0;
  if (betweenMs > 0 && from > 0) pace.stall(from, betweenMs);
  await clock.sleepUntil(pace.tokenAtMs(from), call.signal());
  const now = clock.wallMs();
  let index = from;
  const until = betweenMs > 0 ? from + 1 : Math.min(from + tokensPerWrite, tokens.length);
  do {
    emit(call, writer, tokens[index]!);
    index += 1;
  } while (index < until && pace.tokenAtMs(index) <= now);
  if (service.switches.on("stream/buffered")) return index;
  await writer.flush();
  if (index < tokens.length && index - from === tokensPerWrite) await pause(pauseBetweenWritesMs);
  if (call.response.destroyed) throw new Error("the client went away");
  return index;
}

function emit(call: Call, writer: SseWriter, frame: () => string): void {
  if (call.service.switches.on("stream/json-lines")) writer.raw(`${frame()}\n`);
  else writer.event(frame());
}

/** Faults in the middle of a stream; true when it is over. */
async function breaksOff(call: Call, writer: SseWriter): Promise<boolean> {
  const { fault, incoming, response } = call;
  if (fault?.cut === undefined && fault?.hang !== "mid-stream") return false;
  await writer.flush();
  if (fault.cut === "reset-mid-stream") incoming.socket.resetAndDestroy();
  if (fault.cut === "close-mid-stream") {
    // What was written has to arrive, so the end comes after the socket's own buffer.
    await pause(1);
    response.destroy();
  }
  return true;
}

interface Frames {
  readonly opening: readonly (() => string)[];
  /** One for each produced token. */
  readonly tokens: readonly (() => string)[];
  readonly closing: readonly (() => string)[];
  readonly done: string;
}

/** Payloads in order, made when they are written so that their stamps are fresh. */
function answerFrames(call: Call, input: ChatInput): Frames {
  const { service } = call;
  const { switches } = service;
  const { answer, usage, request } = input;
  const includeUsage =
    (request.stream_options?.include_usage === true && !switches.on("stream/usage-never")) || switches.on("stream/usage-always");
  const facts = {
    id: service.nextId("chatcmpl-"),
    created: unixSeconds(service),
    model: answeredModel(call, request.model),
    answer,
    usage,
  };
  const format = createChunkFormat(call, facts, includeUsage);
  const together = switches.on("stream/role-with-first-token") && answer.toolCalls.length === 0;
  const finish = [() => format.finish()];
  if (switches.on("stream/two-finish-chunks")) finish.push(() => format.finish());
  if (switches.on("stream/finish-absent")) finish.length = 0;
  return {
    opening: switches.on("stream/role-absent") || together ? [] : [() => format.role()],
    tokens:
      answer.toolCalls.length === 0
        ? answer.tokens.map(
            (token, index) => () => (together && index === 0 ? format.firstContent(token) : format.content(token)),
          )
        : toolFrames(format, input),
    closing: closingFrames(format, finish, includeUsage, switches),
    done: format.done,
  };
}

function closingFrames(
  format: ChunkFormat,
  finish: readonly (() => string)[],
  includeUsage: boolean,
  switches: Switchboard,
): readonly (() => string)[] {
  if (!includeUsage) return finish;
  if (switches.on("stream/usage-with-finish")) return [() => format.finishWithUsage()];
  return [...finish, () => format.usage()];
}

/** The name travels with the first piece of the arguments: one chunk each, but one token. */
function toolFrames(format: ChunkFormat, { answer }: ChatInput): readonly (() => string)[] {
  return answer.toolCalls.flatMap(({ id, name, argumentPieces }, index) =>
    argumentPieces.map((piece, at) => () => {
      return at === 0 ? format.toolCallStart(index, id, name, piece) : format.toolCallArguments(index, piece);
    }),
  );
}

function streamType(call: Call): string {
  const { switches } = call.service;
  if (switches.on("stream/json-media-type")) return "application/json";
  if (switches.on("stream/text-plain")) return "text/plain";
  return switches.on("stream/charset") ? "text/event-stream; charset=utf-8" : "text/event-stream";
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
