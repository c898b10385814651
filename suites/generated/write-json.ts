import { isJsonObject, type JsonObject } from "../../src/conformance/judging/json-value.ts";

/** Ways to write one JSON object: all say the same. */
export type Notation = "usual" | "spaced" | "members-reversed" | "escaped" | "exponents";

const writers: Readonly<Record<Notation, (value: JsonObject) => string>> = {
  usual: (value) => JSON.stringify(value),
  spaced: (value) => `\r\n\t ${JSON.stringify(value, null, "\t")}\n `,
  "members-reversed": (value) => JSON.stringify(reversed(value)),
  // Each character of each name and text.
  escaped: (value) => JSON.stringify(value).replaceAll(/"(?:[^"\\]|\\.)*"/g, (text) => escape(JSON.parse(text) as string)),
  // Members that are numbers and no integers: a whole number may be read by a type that knows no exponent.
  exponents: (value) =>
    JSON.stringify(value).replaceAll(
      /"(temperature|top_p)":([\d.]+)/g,
      (_, name: string, number: string) => `"${name}":${Number(number).toExponential()}`,
    ),
};

export function writeJson(value: JsonObject, notation: Notation): string {
  return writers[notation](value);
}

function reversed(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, inner]) => [
        name,
        isJsonObject(inner)
          ? reversed(inner)
          : Array.isArray(inner)
            ? inner.map((item) => (isJsonObject(item) ? reversed(item) : item))
            : inner,
      ]),
  );
}

function escape(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, "0"));
  return `"${units.map((unit) => `\\u${unit}`).join("")}"`;
}
