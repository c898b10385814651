import type { FieldOperation } from "./field-call.ts";
import type { FieldFault } from "./field-rules.ts";

export const chatModel = "field-chat";
export const vectorModel = "field-vectors";

type Body = Readonly<Record<string, unknown>>;
type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === "string";
const isBody = (value: unknown): value is Body => typeof value === "object" && value !== null && !Array.isArray(value);
const within =
  (low: number, high: number): Test =>
  (value) =>
    typeof value === "number" && value >= low && value <= high;

const roles = ["system", "user", "assistant"];

const optional: Readonly<Record<"chat" | "embeddings", readonly (readonly [field: string, expected: string, test: Test])[]>> = {
  chat: [
    ["stream", "a boolean", (value) => typeof value === "boolean"],
    ["tools", "an array", Array.isArray],
    ["temperature", "a number from 0 to 2", within(0, 2)],
    ["top_p", "a number from 0 to 1", within(0, 1)],
    ["max_tokens", "a positive integer", (value) => Number.isInteger(value) && (value as number) > 0],
    ["reasoning_effort", "low, medium or high", (value) => ["low", "medium", "high"].includes(value as string)],
  ],
  embeddings: [
    ["encoding_format", "float or base64", (value) => value === "float" || value === "base64"],
    ["dimensions", "a positive integer", (value) => Number.isInteger(value) && (value as number) > 0],
  ],
};

/** The fields of a JSON body that are missing or wrong. */
export function faultsOf(operation: FieldOperation, body: Body): readonly FieldFault[] {
  if (operation !== "chat" && operation !== "embeddings") return [];
  const faults: FieldFault[] = [];
  if (!isText(body["model"])) faults.push({ field: "model", expected: "a string" });
  for (const [field, expected, test] of optional[operation]) {
    if (body[field] !== undefined && !test(body[field])) faults.push({ field, expected });
  }
  return [...faults, ...(operation === "chat" ? messageFaults(body["messages"]) : inputFaults(body["input"]))];
}

function messageFaults(messages: unknown): readonly FieldFault[] {
  if (!Array.isArray(messages) || messages.length === 0) return [{ field: "messages", expected: "a list of messages" }];
  return (messages as readonly unknown[]).flatMap((message, index) => {
    if (!isBody(message)) return [{ field: `messages[${index}]`, expected: "an object" }];
    const faults: FieldFault[] = [];
    if (!roles.includes(message["role"] as string)) faults.push({ field: `messages[${index}].role`, expected: roles.join(", ") });
    if (!isText(message["content"])) faults.push({ field: `messages[${index}].content`, expected: "a string" });
    return faults;
  });
}

function inputFaults(input: unknown): readonly FieldFault[] {
  const list = Array.isArray(input) ? (input as readonly unknown[]) : [input];
  return list.length > 0 && list.every(isText) ? [] : [{ field: "input", expected: "a string or a list of strings" }];
}

const instant = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

export function instantOf(text: string | null): number | null {
  if (text === null || !instant.test(text)) return null;
  const ms = Date.parse(/T.*(?:Z|[+-]\d\d:\d\d)$/.test(text) || !text.includes("T") ? text : `${text}Z`);
  return Number.isFinite(ms) ? ms : null;
}

export function queryFaults(query: URLSearchParams): readonly FieldFault[] {
  const faults: FieldFault[] = [];
  for (const field of ["from", "to"]) {
    if (instantOf(query.get(field)) === null) faults.push({ field, expected: "an ISO 8601 timestamp" });
  }
  const granularity = query.get("granularity");
  if (granularity !== null && !["hour", "day", "month"].includes(granularity))
    faults.push({ field: "granularity", expected: "hour, day or month" });
  const [from, to] = [instantOf(query.get("from")), instantOf(query.get("to"))];
  if (from !== null && to !== null && from > to) faults.push({ field: "to", expected: "no earlier than from" });
  return faults;
}
