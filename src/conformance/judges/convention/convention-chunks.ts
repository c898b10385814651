import type { RecordedStream } from "../../../core/exchange/exchange.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import type { ExchangeJudge } from "../../judging/judge.ts";
import { isJsonObject, type JsonObject } from "../../judging/json-value.ts";
import { findChunkProblems } from "./chunk-problems.ts";
import { kindOfValue, wrongValue, type WrongWords } from "../../judging/wrong-words.ts";

/**
 * The chunk convention of chat streams, which the specification names but does not show: overlay `convention`, with a
 * verdict line of its own. Field faults it looks for: finish_reason missing or "" (vLLM, SGLang, Ollama, LocalAI).
 */
export const conventionChunks: ExchangeJudge = {
  scope: "exchange",
  id: "convention-chunks",
  covers: ["SVC-013", "XOAI-001", "XOAI-002", "XOAI-003", "XOAI-004", "XOAI-005", "XOAI-006"],
  concerns: ({ streamed }) => streamed,
  judge(exchange, outcomes) {
    const stream = exchange.response?.stream ?? null;
    if (stream === null || !exchange.asksForStream || !exchange.isSuccess || stream.events.length === 0) return;
    const say = (requirement: string, problem: WrongWords | null, expected: string): void => {
      if (problem === null) outcomes.pass(requirement);
      else outcomes.fail(requirement, { ...problem, expected, observed: problem.message ?? problem.kind });
    };
    const payload = wrongPayload(exchange, stream);
    outcomes.observed("SVC-013", () =>
      payload === null ? "streams the chunks of the usual convention" : "streams something else than the usual chunks",
    );
    say("XOAI-001", payload, "every payload but the terminator an object chat.completion.chunk");
    const chunks: JsonObject[] = [];
    for (const value of exchange.eventValues) if (isJsonObject(value) && value["error"] === undefined) chunks.push(value);
    if (chunks.length === 0) return;
    const problems = findChunkProblems(chunks);
    say("XOAI-002", problems.delta, "choices with an object delta whose content is a string or null");
    say("XOAI-003", problems.finish, "finish_reason null on every chunk until a last string");
    say("XOAI-004", wrongEnd(stream), "data: [DONE] as the last event");
    say("XOAI-005", wrongConstants(chunks), "id, created and model the same in all chunks");
    say("XOAI-006", problems.role, "delta.role assistant in the first chunk of each choice");
  },
};

function wrongPayload({ eventValues }: ExchangeFacts, { events }: RecordedStream): WrongWords | null {
  for (let place = 0; place < events.length; place += 1) {
    const value = eventValues[place];
    const data = events[place]?.data ?? "";
    if (!isJsonObject(value)) {
      const kind = "a payload is no JSON object: ";
      if (data !== "[DONE]") return { kind, message: `${kind}${data.slice(0, 80)}` };
    } else if (value["object"] !== "chat.completion.chunk" && value["error"] === undefined) {
      return wrongValue("a chunk has object ", value["object"]);
    }
  }
  return null;
}

function wrongEnd({ events, pendingAtEnd }: RecordedStream): WrongWords | null {
  let [count, last] = [0, -1];
  for (let place = 0; place < events.length; place += 1) {
    if (events[place]?.data !== "[DONE]") continue;
    count += 1;
    last = place;
  }
  if (count > 1) return { kind: "[DONE] is sent more than once" };
  if (count === 0) return { kind: "the stream ends without [DONE]" };
  return last === events.length - 1 && !pendingAtEnd ? null : { kind: "events follow [DONE]" };
}

function wrongConstants(chunks: readonly JsonObject[]): WrongWords | null {
  for (const member of ["id", "created", "model"]) {
    const first = chunks[0]?.[member] ?? null;
    // Identity settles all but values that should not stand there at all.
    if (first !== null && chunks.every((chunk) => chunk[member] === first)) continue;
    const values = new Map(chunks.map((chunk) => [JSON.stringify(chunk[member] ?? null), chunk[member] ?? null]));
    if (values.has("null") && values.size === 1) return { kind: `${member} is missing from the chunks` };
    if (values.size === 1) continue;
    const changes = `${member} changes inside the stream:`;
    const shown = [...values].slice(0, 3);
    return {
      kind: `${changes} ${shown.map(([, value]) => kindOfValue(value)).join(", ")}`,
      message: `${changes} ${shown.map(([text]) => text).join(", ")}`,
    };
  }
  return null;
}
