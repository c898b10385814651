import type { JsonObject, JsonValue } from "./json-value.ts";

/**
 * Whether JSON text may name a member of some object more than once (RFC 8259 section 4); never false where it does. `value`
 * is what `JSON.parse` made of this very text: it keeps one of each name, so it holds fewer members than the text writes where
 * a name is repeated. Counting both costs a fraction of a scan that keeps names; it cannot say which member it is. Names that
 * are written with an escape are not trusted to the count: V8 13.6 (Node 24) was seen to keep two members of such a name.
 * Linear in the length.
 */
export function mayRepeatMembers(text: string, value: JsonValue): boolean {
  const kept = countKept(value, 0);
  if (countColons(text, kept) === kept) return false;
  const written = countWritten(text);
  return written === null || written !== kept;
}

const quote = 34;
const backslash = 92;
const colon = 58;

/**
 * Colons that a quote precedes: one for each name that is written, and some inside strings, so that there are never fewer of
 * them than names. Counting them costs half of counting strings. Stops beyond `enough`; NaN where a name may have an escape.
 */
function countColons(text: string, enough: number): number {
  let count = 0;
  // No `indexOf`: V8 would look for the backslash anew at each colon, half a second for a megabyte.
  const hasEscapes = /\\/.test(text);
  for (let at = text.indexOf(":"); at !== -1 && count <= enough; at = text.indexOf(":", at + 1)) {
    let end = at - 1;
    // Space, tab, line feed and carriage return may stand before the colon.
    while (text.charCodeAt(end) <= 32) end -= 1;
    if (text.charCodeAt(end) !== quote) continue;
    if (hasEscapes && mayHoldEscape(text, end)) return Number.NaN;
    count += 1;
  }
  return count;
}

/** Whether a backslash stands in the string that ends at this quote, or right before it. */
function mayHoldEscape(text: string, end: number): boolean {
  let at = end - 1;
  while (at >= 0 && text.charCodeAt(at) !== quote && text.charCodeAt(at) !== backslash) at -= 1;
  return text.charCodeAt(at) === backslash || text.charCodeAt(at - 1) === backslash;
}

/** Strings that a colon follows: in valid JSON those are the names of members and nothing else. null: one has an escape. */
function countWritten(text: string): number | null {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at)) {
    let hasEscape = false;
    for (at += 1; at < text.length && text.charCodeAt(at) !== quote; at += 1) {
      if (text.charCodeAt(at) !== backslash) continue;
      hasEscape = true;
      at += 1;
    }
    at += 1;
    // Space, tab, line feed and carriage return may stand before the colon.
    while (text.charCodeAt(at) <= 32) at += 1;
    if (text.charCodeAt(at) !== colon) continue;
    if (hasEscape) return null;
    count += 1;
  }
  return count;
}

/** Deeper values are left to the scan, which needs no call for each level. */
const deepest = 200;

/** Members of all objects of a value; NaN where it is nested too deep. */
function countKept(value: JsonValue, depth: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth > deepest) return Number.NaN;
  let count = 0;
  if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value;
    if (isNumberList(items)) return 0;
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index];
      if (typeof item === "object" && item !== null) count += countKept(item, depth + 1);
    }
    return count;
  }
  const members = value as JsonObject;
  for (const name in members) {
    count += 1;
    const member = members[name];
    if (typeof member === "object" && member !== null) count += countKept(member, depth + 1);
  }
  return count;
}

/**
 * A loop that meets both lists of numbers and lists of objects makes V8 box each number of a list for good, which costs more
 * than all judges together on a vector of an embedding: lists of numbers have a loop of their own, and only `at` sees both.
 */
function isNumberList(items: readonly JsonValue[]): boolean {
  if (typeof items.at(0) !== "number") return false;
  for (let index = 0; index < items.length; index += 1) if (typeof items[index] !== "number") return false;
  return true;
}
