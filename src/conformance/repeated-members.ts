import type { JsonValue } from "./json-value.ts";

/**
 * Whether JSON text names a member of some object more than once (RFC 8259 section 4). `value` is what `JSON.parse` made of
 * this very text: it keeps one of each name, so it holds fewer members than the text writes exactly when a name is repeated.
 * Counting both costs a fraction of a scan that keeps names; it cannot say which member it is. Linear in the length.
 */
export function hasRepeatedMembers(text: string, value: JsonValue): boolean {
  return countWritten(text) !== countKept(value);
}

const backslash = 92;
const colon = 58;

/** Strings that a colon follows: in valid JSON those are the names of members and nothing else. */
function countWritten(text: string): number {
  let count = 0;
  for (let start = text.indexOf('"'); start !== -1;) {
    let end = text.indexOf('"', start + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    let after = end + 1;
    // Space, tab, line feed and carriage return may stand before the colon.
    while (text.charCodeAt(after) <= 32) after += 1;
    if (text.charCodeAt(after) === colon) count += 1;
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
