import { parseBoundedJson } from "../../core/exchange/bodies/bounded-json.ts";
import type { JsonValue } from "./json-value.ts";

export interface ScannedJson {
  /** undefined when the text is not JSON. */
  readonly value: JsonValue | undefined;
  readonly error: string | null;
  /** JSON pointers of the first objects' members that occur more than once (RFC 8259 section 4). */
  readonly duplicates: readonly string[];
}

/**
 * Parses JSON text (RFC 8259) and lists repeated member names, which `JSON.parse` drops in silence. The scan runs only
 * over text that `JSON.parse` accepted, so it can trust the grammar; it is linear in the length of the text.
 */
export function scanJson(text: string): ScannedJson {
  const json = parseBoundedJson(text);
  if (!json.ok) return { value: undefined, error: json.error, duplicates: [] };
  return { value: json.value, error: null, duplicates: findDuplicateMembers(text) };
}

interface Frame {
  /** Member names seen, null inside an array. */
  readonly names: Set<string> | null;
  key: string;
  index: number;
  expectsKey: boolean;
}

/** A pointer may be as long as the text: without a bound they would take its square. */
const duplicatesListed = 20;
const longestPointer = 400;

function findDuplicateMembers(text: string): readonly string[] {
  const duplicates: string[] = [];
  const stack: Frame[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text[at];
    const frame = stack.at(-1);
    if (character === '"') {
      const end = endOfString(text, at);
      if (frame?.names != null && frame.expectsKey) {
        const key = JSON.parse(text.slice(at, end)) as string;
        if (frame.names.has(key)) duplicates.push(pointerTo(stack.slice(0, -1), key).slice(0, longestPointer));
        if (duplicates.length >= duplicatesListed) return duplicates;
        frame.names.add(key);
        frame.key = key;
        frame.expectsKey = false;
      }
      at = end;
      continue;
    }
    if (character === "{") stack.push({ names: new Set(), key: "", index: 0, expectsKey: true });
    else if (character === "[") stack.push({ names: null, key: "", index: 0, expectsKey: false });
    else if (character === "}" || character === "]") stack.pop();
    else if (character === "," && frame !== undefined) {
      frame.index += 1;
      frame.expectsKey = frame.names !== null;
    }
    at += 1;
  }
  return duplicates;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function pointerTo(frames: readonly Frame[], key: string): string {
  const parts = [...frames.map((frame) => (frame.names === null ? String(frame.index) : frame.key)), key];
  return parts.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
