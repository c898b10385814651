import type { RecordedStream } from "../../../core/exchange/exchange.ts";
import { readStreamJson } from "../../../core/exchange/recorded-json.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../judging/json-value.ts";

/** The stream that was looked at last: several judges ask about it one after the other. */
const latest: { stream: RecordedStream | null; isUsual: boolean } = { stream: null, isUsual: false };

/**
 * Whether a stream is what nearly all streams are: chunks of one choice with the same id, instant and model, none of them an
 * error, the role in the first, a finish_reason in the last that holds a choice, [DONE] once at the end.
 */
export function isUsualStream(stream: RecordedStream): boolean {
  if (latest.stream !== stream) {
    latest.isUsual = hasUsualEnd(stream) && hasUsualChunks(readStreamJson(stream));
    latest.stream = stream;
  }
  return latest.isUsual;
}

function hasUsualEnd({ events, pendingAtEnd }: RecordedStream): boolean {
  return !pendingAtEnd && events.at(-1)?.data === "[DONE]";
}

/** In one pass; the last value is that of [DONE], and no other may be none. */
function hasUsualChunks(values: readonly unknown[]): boolean {
  const first = values[0];
  if (!isJsonObject(first)) return false;
  const { id, created, model } = first;
  if (typeof id !== "string" || typeof created !== "number" || typeof model !== "string") return false;
  let isRoleTold = false;
  let isFinished = false;
  for (let place = 0; place < values.length - 1; place += 1) {
    const value = values[place];
    if (!isJsonObject(value) || value["object"] !== "chat.completion.chunk" || value["error"] !== undefined) return false;
    if (value["id"] !== id || value["created"] !== created || value["model"] !== model) return false;
    const { choices } = value;
    if (!Array.isArray(choices) || choices.length > 1) return false;
    if (choices.length === 0) continue;
    const choice = choices[0] as JsonValue;
    if (!isJsonObject(choice) || isFinished || choice["index"] !== 0) return false;
    const { delta, finish_reason: reason } = choice;
    if (!isUsualDelta(delta) || (!isRoleTold && delta["role"] !== "assistant")) return false;
    isRoleTold = true;
    if (reason === null) continue;
    if (typeof reason !== "string" || reason === "") return false;
    isFinished = true;
  }
  return isFinished;
}

function isUsualDelta(delta: JsonValue | undefined): delta is JsonObject {
  if (!isJsonObject(delta)) return false;
  const { content } = delta;
  return content === undefined || content === null || typeof content === "string";
}
