import { createRandom, hashString, type Random } from "../../core/random.ts";

/** The answer that the service decides on before the first token leaves: equal requests get equal answers. */
export interface Answer {
  /** Content tokens; joined they are the text. */
  readonly tokens: readonly string[];
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: "stop" | "length" | "tool_calls";
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text, cut into the pieces in which a stream delivers it. */
  readonly argumentPieces: readonly string[];
}

export interface AnswerRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content?: string | null }[];
  readonly tools?: readonly unknown[];
  readonly tool_choice?: unknown;
  readonly max_tokens?: number;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly reasoning_effort?: string;
}

const openings = ["Here", "Sure", "Well", "Quite", "Surely", "Indeed"];

/** Words of one token each, a few of them beyond ASCII so that multi-byte text crosses chunk edges in ordinary streams. */
const vocabulary: readonly string[] = (
  "the of and a to in is that it for on with as this by are be from or an at not but have one all can more about some time " +
  "model answer clear signal river stone light garden winter summer quiet bright system number letter window bridge market " +
  "paper simple honest steady ocean forest planet music colour reason method result detail sample café naïve größe crème 東京 Ω"
).split(" ");

const wordsOfLongText = 320;
const wordsAtMost = 4000;

/** How many tokens the model would like to write: what the prompt asks for (`40 words`, `a long story`), else 8 to 40. */
function naturalLength(prompt: string, random: Random): number {
  const asked = /\b(\d{1,6})\s+(?:words?|tokens?)\b/i.exec(prompt)?.[1];
  if (asked !== undefined) return Math.max(1, Math.min(Number(asked), wordsAtMost));
  if (/\b(?:long|essay|story|detailed?|at length|count (?:from|to))\b/i.test(prompt)) return wordsOfLongText;
  return random.integer(8, 40);
}

/** Text of exactly `length` tokens, sentences ending in a full stop. */
function writeTokens(length: number, random: Random): string[] {
  const tokens: string[] = [];
  let sentence = random.integer(6, 12);
  for (let index = 0; index < length; index += 1) {
    if (index === length - 1 && index > 0) tokens.push(".");
    else if (index === 0) tokens.push(openings[random.integer(0, openings.length - 1)] ?? "Here");
    else if (sentence === 0) {
      tokens.push(".");
      sentence = random.integer(6, 12);
    } else {
      tokens.push(` ${vocabulary[random.integer(0, vocabulary.length - 1)] ?? "and"}`);
      sentence -= 1;
    }
  }
  return tokens;
}

/**
 * Decides the answer of a chat request from the seed of the service and everything in the request that may influence it.
 * A request with function tools is answered by a call when `tool_choice` demands one, or when the last message comes from the
 * user and names a tool, or asks for "a tool" or "function"; `tool_choice: "none"` forbids it.
 */
export function decideAnswer(seed: number, request: AnswerRequest): Answer {
  const { model, messages, temperature, top_p, reasoning_effort } = request;
  const random = createRandom(
    hashString(JSON.stringify([seed, model, messages, temperature ?? 1, top_p ?? 1, reasoning_effort ?? "medium"])),
  );
  const last = messages.at(-1);
  const tool = chooseTool(request, last);
  if (tool !== null) return callTool(tool, random, request.max_tokens);
  const wanted = naturalLength(last?.content ?? "", random);
  const length = Math.min(wanted, request.max_tokens ?? wanted);
  return {
    tokens: writeTokens(wanted, random).slice(0, length),
    toolCalls: [],
    finishReason: length < wanted ? "length" : "stop",
  };
}

interface FunctionTool {
  readonly name: string;
  readonly parameters: unknown;
}

/** Function tools in the shape of the de facto convention; anything else in `tools` is accepted and ignored. */
function functionTools(tools: readonly unknown[]): readonly FunctionTool[] {
  return tools.flatMap((tool) => {
    const definition = member(tool, "function");
    const name = member(definition, "name");
    return typeof name === "string" && name !== "" ? [{ name, parameters: member(definition, "parameters") }] : [];
  });
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function chooseTool(
  request: AnswerRequest,
  last: { readonly role: string; readonly content?: string | null } | undefined,
): FunctionTool | null {
  const offered = functionTools(request.tools ?? []);
  if (offered.length === 0 || request.tool_choice === "none") return null;
  const demanded = member(member(request.tool_choice, "function"), "name");
  if (typeof demanded === "string") return offered.find(({ name }) => name === demanded) ?? null;
  if (request.tool_choice === "required") return offered[0] ?? null;
  if (last?.role !== "user") return null;
  const prompt = (last.content ?? "").toLowerCase();
  const named = offered.find(({ name }) => prompt.includes(name.toLowerCase()));
  return named ?? (/\b(?:tool|function|weather)\b/.test(prompt) ? (offered[0] ?? null) : null);
}

function callTool(tool: FunctionTool, random: Random, maxTokens: number | undefined): Answer {
  const text = JSON.stringify(sampleOf(tool.parameters, random, 0) ?? {});
  const pieces = text.match(/[\s\S]{1,6}/gu) ?? ["{}"];
  const id = `call_${Array.from({ length: 3 }, () => random.integer(0, 0xffffffff).toString(16).padStart(8, "0")).join("")}`;
  const kept = maxTokens === undefined ? pieces : pieces.slice(0, maxTokens);
  return {
    tokens: [],
    toolCalls: [{ id, name: tool.name, argumentPieces: kept }],
    finishReason: kept.length < pieces.length ? "length" : "tool_calls",
  };
}

/** A value that the parameter schema allows, for the plain subset of JSON Schema that tool definitions use. */
function sampleOf(schema: unknown, random: Random, depth: number): unknown {
  const choices = member(schema, "enum");
  if (Array.isArray(choices) && choices.length > 0) return choices[random.integer(0, choices.length - 1)];
  switch (depth > 4 ? "null" : member(schema, "type")) {
    case "string":
      return vocabulary[random.integer(0, vocabulary.length - 1)];
    case "integer":
    case "number":
      return random.integer(0, 40);
    case "boolean":
      return random.next() < 0.5;
    case "array":
      return [sampleOf(member(schema, "items"), random, depth + 1)];
    case "null":
      return null;
    default: {
      const properties = member(schema, "properties");
      if (typeof properties !== "object" || properties === null) return {};
      return Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, sampleOf(property, random, depth + 1)]),
      );
    }
  }
}
