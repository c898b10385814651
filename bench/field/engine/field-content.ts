import type { FieldCall, FieldUsage } from "./field-call.ts";

const vocabulary = "the ferry leaves an old harbour before the tide turns and a lamp shows where the kettle is on".split(" ");
/** Words of an answer that no request bounds. */
const usualLength = 20;
/** No answer is longer. */
const longest = 240;

function wordsOf(text: string): number {
  return text.split(/\s+/).filter((word) => word !== "").length;
}

/** Each word is a token, and each message takes three more. */
export function promptOf({ operation, body }: Pick<FieldCall, "operation" | "body">): number {
  if (operation === "embeddings")
    return [body["input"]].flat().reduce<number>((sum, text) => sum + Math.max(1, wordsOf(String(text))), 0);
  const messages = body["messages"] as readonly { readonly content: string }[];
  return messages.reduce((sum, { content }) => sum + wordsOf(content) + 3, 0);
}

export interface FieldText {
  readonly words: readonly string[];
  readonly reason: "stop" | "length";
}

/** A long story is as long as it may be. */
export function answerTo({ body }: FieldCall): FieldText {
  const most = body["max_tokens"] as number | undefined;
  const asksLong = JSON.stringify(body["messages"]).includes("long");
  const wanted = asksLong ? longest : usualLength;
  const length = Math.min(most ?? wanted, wanted);
  return {
    words: Array.from({ length }, (_, index) => `${index === 0 ? "" : " "}${vocabulary[index % vocabulary.length]}`),
    reason: length < wanted ? "length" : "stop",
  };
}

export function usageMembers({ prompt, completion }: FieldUsage): Readonly<Record<string, number>> {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

const dimensions = 8;

/** Equal texts have equal vectors. */
export function vectorOf(text: string, encoding: unknown): readonly number[] | string {
  const values = Array.from({ length: dimensions }, (_, place) => {
    let hash = 2166136261 ^ place;
    for (const letter of text) hash = Math.imul(hash ^ letter.codePointAt(0)!, 16777619);
    return Math.fround(((hash >>> 0) / 2 ** 32) * 2 - 1);
  });
  if (encoding !== "base64") return values;
  const bytes = Buffer.alloc(4 * dimensions);
  values.forEach((value, place) => bytes.writeFloatLE(value, 4 * place));
  return bytes.toString("base64");
}
