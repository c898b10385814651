import type { Call } from "../call.ts";
import type { CompletionFacts } from "./chat-completion.ts";
import type { ChunkWords } from "./chunk-shape.ts";

/** Payloads of a streamed answer in the de facto chunk convention (reading AMB-28); the specification shows none. */
export interface ChunkFormat {
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

export function createChunkFormat(call: Call, facts: CompletionFacts, usageInEveryChunk: boolean): ChunkFormat {
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
