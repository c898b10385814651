import type { JsonValue } from "./json-value.ts";

/** JSON text as every reader of a target's bytes gets it: within bounds that no answer of the specification comes near. */
export type BoundedJson = { readonly ok: true; readonly value: JsonValue } | BadJson;

export interface BadJson {
  readonly ok: false;
  /** `beyond-bounds`: well-formed, but RFC 8259 section 9 lets parsers refuse it, and many do. */
  readonly problem: "malformed" | "beyond-bounds";
  /** The error, in words that all versions of Node share. */
  readonly error: string;
}

export const jsonBounds = { depth: 512, values: 100_000 } as const;

/**
 * Parses JSON (RFC 8259) that a target sent. Nothing nested deeper than 512 levels, with more than 100,000 values in lists
 * and objects, or with a number that no double holds leaves here, so that judges may recurse, walk and add without a check of their own.
 */
export function parseBoundedJson(text: string): BoundedJson {
  const beyond = findBeyond(text);
  if (beyond !== null) return isWellFormed(text) ?? { ok: false, problem: "beyond-bounds", error: beyond };
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (fault) {
    return malformed(fault);
  }
  if (typeof value !== "object" ? value === Infinity || value === -Infinity : value !== null && holdsInfinity(value)) {
    return { ok: false, problem: "beyond-bounds", error: "a number is larger than a double holds" };
  }
  return { ok: true, value };
}

function malformed(fault: unknown): BadJson {
  // Node 22 adds the line and column: a saved run must be reported in the same words by every version.
  const error = (fault as Error).message.replace(/ \(line \d+ column \d+\)$/, "");
  return { ok: false, problem: "malformed", error };
}

/** The error of a text; null for a well-formed one. The parser of V8 does not recurse. */
function isWellFormed(text: string): BadJson | null {
  try {
    JSON.parse(text);
    return null;
  } catch (fault) {
    return malformed(fault);
  }
}

const [quote, comma, openBracket, backslash, closeBracket, openBrace, closeBrace] = [34, 44, 91, 92, 93, 123, 125];

/** Which bound the brackets and commas outside of strings exceed; null for nearly all texts, most without a look at them. */
export function findBeyond(text: string): string | null {
  // Each level takes two characters, and each further value another two.
  if (text.length <= 2 * jsonBounds.depth) return null;
  let depth = 0;
  let commas = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
      if (at === -1) return null;
    } else if (code === openBracket || code === openBrace) {
      depth += 1;
      if (depth > jsonBounds.depth) return `nested deeper than ${jsonBounds.depth} levels`;
    } else if (code === closeBracket || code === closeBrace) {
      depth -= 1;
    } else if (code === comma) {
      commas += 1;
      if (commas >= jsonBounds.values) return `more than ${jsonBounds.values} values`;
    }
  }
  return null;
}

/** The place of the quote that closes a string, -1 where none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}

function holdsInfinity(value: object): boolean {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    // Lists of numbers have a loop of their own: one that meets other values as well makes V8 box each number for good.
    return typeof items.at(0) === "number" ? numbersHoldInfinity(items) : items.some(isBeyond);
  }
  for (const name in value) if (isBeyond((value as Readonly<Record<string, unknown>>)[name])) return true;
  return false;
}

function numbersHoldInfinity(items: readonly unknown[]): boolean {
  for (let place = 0; place < items.length; place += 1) {
    const item = items[place];
    if (typeof item !== "number") return items.slice(place).some(isBeyond);
    if (item === Infinity || item === -Infinity) return true;
  }
  return false;
}

function isBeyond(value: unknown): boolean {
  if (typeof value === "number") return value === Infinity || value === -Infinity;
  return typeof value === "object" && value !== null && holdsInfinity(value);
}
