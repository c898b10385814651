import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { isJsonObject, type JsonValue } from "../../judging/json-value.ts";

/** The place of the text in the events of a stream, and how its pieces make the whole. */
export interface TextReading {
  /** `choices.0.delta.content` */
  readonly path: string;
  readonly joins: "pieces" | "words" | "whole";
}

/** The form that streams have by the usual convention (AMB-28). */
export const usualReading: TextReading = { path: "choices.0.delta.content", joins: "pieces" };

const joiners: Readonly<Record<TextReading["joins"], (pieces: readonly string[]) => string | null>> = {
  pieces: (pieces) => pieces.join(""),
  words: (pieces) => pieces.join(" "),
  whole: (pieces) => pieces.at(-1) ?? null,
};

/** null: no event has a text in that place. */
export function readStreamText(stream: ExchangeFacts, { path, joins }: TextReading): string | null {
  const pieces = piecesOf(stream).get(path) ?? [];
  return pieces.length === 0 ? null : joiners[joins](pieces);
}

/** Every reading under which this stream holds this text. */
export function readingsOf(stream: ExchangeFacts, text: string): readonly TextReading[] {
  return [...piecesOf(stream)].flatMap(([path, pieces]) =>
    (["pieces", "words", "whole"] as const)
      .filter((joins) => pieces.length > 1 && joiners[joins](pieces) === text)
      .map((joins) => ({ path, joins })),
  );
}

const deepest = 6;

function piecesOf({ eventValues }: ExchangeFacts): ReadonlyMap<string, readonly string[]> {
  const pieces = new Map<string, string[]>();
  for (const value of eventValues) {
    for (const [path, text] of texts(value, "", 0)) {
      const own = pieces.get(path);
      if (own === undefined) pieces.set(path, [text]);
      else own.push(text);
    }
  }
  return pieces;
}

function* texts(value: JsonValue | undefined, path: string, depth: number): Iterable<readonly [string, string]> {
  if (typeof value === "string") {
    if (value !== "") yield [path, value];
  } else if (depth < deepest) {
    const members = Array.isArray(value)
      ? [["0", value[0] as JsonValue] as const]
      : isJsonObject(value)
        ? Object.entries(value)
        : [];
    for (const [name, member] of members) yield* texts(member, path === "" ? name : `${path}.${name}`, depth + 1);
  }
}
