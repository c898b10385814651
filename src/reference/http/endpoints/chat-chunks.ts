import type { Call } from "../call.ts";
import { finishReason, usageDefects, type CompletionFacts } from "./chat-completion.ts";

/** Payloads of a streamed answer in the de facto chunk convention (reading AMB-28); the specification shows none. */
export interface ChunkFormat {
  role(): string;
  content(token: string): string;
  /** The first token together with the role. */
  firstContent(token: string): string;
  toolCallStart(index: number, id: string, name: string, piece: string): string;
  toolCallArguments(index: number, piece: string): string;
  finish(): string;
  /** The end of the answer and the usage in one chunk. */
  finishWithUsage(): string;
  /** Chunk without choices that carries the usage. */
  usage(): string;
  readonly done: string;
}

export function createChunkFormat(call: Call, facts: CompletionFacts, usageInEveryChunk: boolean): ChunkFormat {
  const { switches } = call.service;
  const object = switches.on("stream/object-wrong") ? "chat.completion" : "chat.completion.chunk";
  const delta = switches.on("stream/message-for-delta") ? "message" : "delta";
  const pendingReason = switches.on("stream/finish-reason-empty") ? '""' : "null";
  const changing = switches.on("stream/id-changes") || switches.on("stream/created-changes");
  const constant = `"object":"${object}","created":${facts.created},"model":${JSON.stringify(facts.model)}`;
  let written = 0;
  const head = (): string => {
    written += 1;
    if (!changing) return `{"id":"${facts.id}",${constant}`;
    const id = switches.on("stream/id-changes") ? `${facts.id}-${written}` : facts.id;
    const created = switches.on("stream/created-changes") ? facts.created + written : facts.created;
    return `{"id":"${id}","object":"${object}","created":${created},"model":${JSON.stringify(facts.model)}`;
  };
  const extra = switches.on("transport/extra-members") ? ',"x_trace":{"node":"a1"}' : "";
  const nullUsage = usageInEveryChunk ? ',"usage":null' : "";
  const tail = (): string => {
    const stamps = call.receivedNs === null ? "" : `,"received_ns":${call.receivedNs},"stamp_ns":${process.hrtime.bigint()}`;
    return `${nullUsage}${extra}${stamps}}`;
  };
  const chunk = (members: string, reason: string = pendingReason): string =>
    `${head()},"choices":[{"index":0,"${delta}":{${members}},"finish_reason":${reason}}]${tail()}`;
  const toolCall = (members: string): string => chunk(`"tool_calls":[{${members}}]`);
  const indexMember = (index: number): string => (switches.on("stream/tool-index-absent") ? "" : `"index":${index},`);
  const argumentsMember = (piece: string): string =>
    JSON.stringify(switches.on("chat/tool-arguments-broken") ? piece.replaceAll('"', "'") : piece);
  return {
    role: () => chunk('"role":"assistant","content":""'),
    content: (token) => chunk(`"content":${JSON.stringify(token)}`),
    toolCallStart: (index, id, name, piece) =>
      toolCall(
        `${indexMember(index)}"id":"${id}","type":"function","function":{"name":${JSON.stringify(name)},"arguments":${argumentsMember(piece)}}`,
      ),
    toolCallArguments: (index, piece) => toolCall(`${indexMember(index)}"function":{"arguments":${argumentsMember(piece)}}`),
    firstContent: (token) => chunk(`"role":"assistant","content":${JSON.stringify(token)}`),
    finishWithUsage: () =>
      `${chunk("", JSON.stringify(finishReason(facts.answer, switches)))
        .replace(nullUsage, "")
        .slice(0, -1)},"usage":${JSON.stringify(usageDefects(facts.usage, switches))}}`,
    finish: () => chunk("", JSON.stringify(finishReason(facts.answer, switches))),
    usage: () =>
      `${head()},"choices":[],"usage":${JSON.stringify(usageDefects(facts.usage, switches))}${tail().replace(nullUsage, "")}`,
    done: switches.on("stream/done-in-json") ? '{"done":true}' : "[DONE]",
  };
}
