import type { RecordedStream } from "../../../core/exchange/exchange.ts";
import { asksForStream, isSuccess } from "../../judging/exchange-view.ts";
import { createGlancedLists, nothingGlanced } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { isJsonObject, type JsonObject, showValue } from "../../judging/json-value.ts";
import { chunkChoices, chunkObjects, deltaOf, readChunks } from "../stream/stream-chunks.ts";
import { isUsualStream } from "../stream/usual-stream.ts";

const glanced = createGlancedLists(["SVC-013", "XOAI-001", "XOAI-002", "XOAI-003", "XOAI-004", "XOAI-005", "XOAI-006"]);

/**
 * The chunk convention of chat streams, which the specification names but does not show: overlay `convention`, with a
 * verdict line of its own. Field faults it looks for: finish_reason missing or "" (vLLM, SGLang, Ollama, LocalAI).
 */
export const conventionChunks: ExchangeJudge = {
  scope: "exchange",
  id: "convention-chunks",
  covers: ["SVC-013", "XOAI-001", "XOAI-002", "XOAI-003", "XOAI-004", "XOAI-005", "XOAI-006"],
  concerns: ({ streamed }) => streamed,
  glance(exchange) {
    const stream = exchange.response?.stream ?? null;
    if (stream === null || !asksForStream(exchange) || !isSuccess(exchange) || stream.events.length === 0) return nothingGlanced;
    return isUsualStream(stream) ? glanced(0b1111111) : null;
  },
  *judge(exchange): Iterable<Occurrence> {
    const stream = exchange.response?.stream ?? null;
    if (stream === null || !asksForStream(exchange) || !isSuccess(exchange) || stream.events.length === 0) return;
    const say = (requirement: string, problem: string | null, expected: string): Occurrence =>
      problem === null
        ? { requirement, outcome: "pass", exchanges: [exchange.seq] }
        : { requirement, outcome: "fail", exchanges: [exchange.seq], message: problem, expected, observed: problem };
    yield {
      requirement: "SVC-013",
      outcome: "observed",
      exchanges: [exchange.seq],
      answer:
        wrongPayload(stream) === null
          ? "streams the chunks of the usual convention"
          : "streams something else than the usual chunks",
    };
    yield say("XOAI-001", wrongPayload(stream), "every payload but the terminator an object chat.completion.chunk");
    const chunks = chunkObjects(stream).filter((chunk) => !("error" in chunk));
    if (chunks.length === 0) return;
    yield say("XOAI-002", wrongDelta(chunks), "choices with an object delta whose content is a string or null");
    yield say("XOAI-003", wrongFinish(chunks), "finish_reason null on every chunk until a last string");
    yield say("XOAI-004", wrongEnd(stream), "data: [DONE] as the last event");
    yield say("XOAI-005", wrongConstants(chunks), "id, created and model the same in all chunks");
    yield say("XOAI-006", wrongRole(chunks), "delta.role assistant in the first chunk of each choice");
  },
};

function wrongPayload(stream: RecordedStream): string | null {
  for (const { event, value } of readChunks(stream)) {
    if (!isJsonObject(value)) return `a payload is no JSON object: ${event.data.slice(0, 80)}`;
    if ("error" in value) continue;
    if (value["object"] !== "chat.completion.chunk") return `a chunk has object ${showValue(value["object"], 60)}`;
  }
  return null;
}

function wrongDelta(chunks: readonly JsonObject[]): string | null {
  let hasDelta = false;
  for (const chunk of chunks) {
    const { choices } = chunk;
    if (!Array.isArray(choices)) return "a chunk has no list of choices";
    if (!choices.every(isJsonObject)) return "a choice is no object";
    for (const choice of chunkChoices(chunk)) {
      const delta = deltaOf(choice);
      if (delta === null) return "a choice has no object delta";
      hasDelta = true;
      const { content } = delta;
      if (content !== undefined && content !== null && typeof content !== "string")
        return `delta.content is ${showValue(content, 60)}`;
    }
  }
  return hasDelta ? null : "no chunk holds a delta";
}

function wrongFinish(chunks: readonly JsonObject[]): string | null {
  const finished = new Set<unknown>();
  const seen = new Set<unknown>();
  for (const choice of chunks.flatMap(chunkChoices)) {
    const { index, finish_reason: reason } = choice;
    seen.add(index);
    if (reason === undefined) return "a chunk has no finish_reason";
    if (reason === "") return 'finish_reason is "" instead of null';
    if (reason !== null && typeof reason !== "string") return `finish_reason is ${showValue(reason, 60)}`;
    if (finished.has(index)) return "a choice goes on after its finish_reason";
    if (reason !== null) finished.add(index);
  }
  return finished.size === seen.size && seen.size > 0 ? null : "the stream ends without a finish_reason";
}

function wrongEnd({ events, pendingAtEnd }: RecordedStream): string | null {
  const places = events.flatMap(({ data }, place) => (data === "[DONE]" ? [place] : []));
  if (places.length > 1) return "[DONE] is sent more than once";
  if (places.length === 0) return "the stream ends without [DONE]";
  return places[0] === events.length - 1 && !pendingAtEnd ? null : "events follow [DONE]";
}

function wrongConstants(chunks: readonly JsonObject[]): string | null {
  for (const member of ["id", "created", "model"] as const) {
    const values = new Set(chunks.map((chunk) => JSON.stringify(chunk[member] ?? null)));
    if (values.size > 1) return `${member} changes inside the stream: ${[...values].slice(0, 3).join(", ")}`;
    if (values.has("null")) return `${member} is missing from the chunks`;
  }
  return null;
}

function wrongRole(chunks: readonly JsonObject[]): string | null {
  const seen = new Set<unknown>();
  for (const choice of chunks.flatMap(chunkChoices)) {
    const role = deltaOf(choice)?.["role"];
    if (!seen.has(choice["index"]) && role !== "assistant") return `the first chunk has role ${showValue(role, 40)}`;
    seen.add(choice["index"]);
  }
  return seen.size > 0 ? null : "no chunk holds a choice";
}
