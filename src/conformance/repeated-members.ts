import type { JsonValue } from "./json-value.ts";

/**
 * Whether JSON text may name a member of some object more than once (RFC 8259 section 4); never false where it does. `value`
 * is what `JSON.parse` made of this very text: it keeps one of each name, so it holds fewer members than the text writes where
 * a name is repeated. Counting both costs a fraction of a scan that keeps names; it cannot say which member it is. Names that
 * are written with an escape are not trusted to the count: V8 13.6 (Node 24) was seen to keep two members of such a name.
 * Linear in the length.
 */
export function mayRepeatMembers(text: string, value: JsonValue): boolean {
  const written = countWritten(text);
  return written === null || written !== countKept(value);
}

const backslash = 92;
const colon = 58;

/** Strings that a colon follows: in valid JSON those are the names of members and nothing else. null: one has an escape. */
function countWritten(text: string): number | null {
  let count = 0;
  let escape = text.indexOf("\\");
  for (let start = text.indexOf('"'); start !== -1;) {
    let end = text.indexOf('"', start + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    let after = end + 1;
    // Space, tab, line feed and carriage return may stand before the colon.
    while (text.charCodeAt(after) <= 32) after += 1;
    if (text.charCodeAt(after) === colon) {
      if (escape !== -1 && escape < start) escape = text.indexOf("\\", start);
      if (escape !== -1 && escape < end) return null;
      count += 1;
    }
    start = text.indexOf('"', after);
  }
  return count;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === backslash) before -= 1;
  return (at - before) % 2 === 0;
}

/** Members of all objects of a value. An own stack: a hostile body may be nested deeper than calls can be. */
function countKept(value: JsonValue): number {
  let count = 0;
  const open: JsonValue[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const inner: readonly JsonValue[] = Array.isArray(next) ? next : Object.values(next);
    if (!Array.isArray(next)) count += inner.length;
    for (const item of inner) if (typeof item === "object" && item !== null) open.push(item);
  }
  return count;
}
