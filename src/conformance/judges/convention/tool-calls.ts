import { isJsonObject, type JsonObject, type JsonValue, showValue } from "../../judging/json-value.ts";
import { chunkChoices, deltaOf, parseJsonText } from "../stream/stream-chunks.ts";

/** What is wrong with complete tool calls of the convention; null when they are in order. */
export function findBadCall(calls: readonly JsonValue[]): string | null {
  for (const call of calls) {
    if (!isJsonObject(call)) return "a tool call is no object";
    if (typeof call["id"] !== "string" || call["id"] === "") return "a tool call has no id";
    if (call["type"] !== "function") return `a tool call has type ${showValue(call["type"], 40)}`;
    const called: JsonObject = isJsonObject(call["function"]) ? call["function"] : {};
    if (typeof called["name"] !== "string" || called["name"] === "") return "a tool call names no function";
    if (typeof called["arguments"] !== "string") return "the arguments of a tool call are no string";
    if (parseJsonText(called["arguments"]) === undefined) return "the arguments of a tool call are not JSON";
  }
  return null;
}

/** The calls that the pieces of a stream add up to; a problem where a piece cannot be placed. */
export function joinCalls(
  chunks: readonly JsonObject[],
): { readonly calls: readonly JsonObject[] } | { readonly problem: string } {
  const calls = new Map<number, { id?: JsonValue; type?: JsonValue; name?: JsonValue; text: string }>();
  for (const delta of chunks.flatMap(chunkChoices).map(deltaOf)) {
    const pieces = delta?.["tool_calls"];
    if (!Array.isArray(pieces)) continue;
    for (const piece of pieces as readonly JsonValue[]) {
      if (!isJsonObject(piece)) return { problem: "a piece of a tool call is no object" };
      const { index } = piece;
      if (typeof index !== "number") return { problem: "a piece of a tool call has no index" };
      const call = calls.get(index) ?? { text: "" };
      const called: JsonObject = isJsonObject(piece["function"]) ? piece["function"] : {};
      if (piece["id"] !== undefined) call.id = piece["id"];
      if (piece["type"] !== undefined) call.type = piece["type"];
      if (called["name"] !== undefined) call.name = called["name"];
      if (typeof called["arguments"] === "string") call.text += called["arguments"];
      calls.set(index, call);
    }
  }
  const joined = [...calls.values()].map(({ id, type, name, text }) => ({
    id: id ?? null,
    // Some services name the type in no piece; only a wrong one is a fault.
    type: type ?? "function",
    function: { name: name ?? null, arguments: text },
  }));
  return { calls: joined };
}
