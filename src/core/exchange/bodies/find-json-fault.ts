/** The place at which a text stops being JSON (RFC 8259), in UTF-16 units. */
export interface JsonFault {
  readonly at: number;
  /** `cut`: the text ends inside of a value. `behind`: a whole value ends before. `other`: no JSON goes on so. */
  readonly kind: "cut" | "behind" | "other";
}

const space = /[ \t\n\r]*/y;
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
const startOfScalar = /(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-|-?(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?)?)$/y;

type Expected = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end";

/**
 * The first fault of a text that no parser accepts; null for JSON. Nothing recurses: nesting may be as deep as the text is long.
 * No library fits: jsonc-parser 3.3 overflows the stack at 10,000 brackets, @streamparser/json 0.0.26 has no place for a stray value.
 */
export function findJsonFault(text: string): JsonFault | null {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  let at = 0;
  for (;;) {
    at = endOf(space, text, at) ?? at;
    const character = text[at];
    if (expected === "comma-or-end" && open.length === 0) return character === undefined ? null : { at, kind: "behind" };
    if (character === undefined) return { at, kind: "cut" };
    const next = step(text, at, expected, open);
    if ("kind" in next) return next;
    ({ at, expected } = next);
  }
}

interface Step {
  readonly at: number;
  readonly expected: Expected;
}

function step(text: string, at: number, expected: Expected, open: ("{" | "[")[]): Step | JsonFault {
  const character = text[at] ?? "";
  const isKey = expected === "key" || expected === "key-or-end";
  if (character === '"' && (isKey || expected === "value" || expected === "value-or-end")) {
    const end = endOfString(text, at);
    return typeof end === "number" ? { at: end, expected: isKey ? "colon" : "comma-or-end" } : end;
  }
  const isClosing = (character === "}" && open.at(-1) === "{") || (character === "]" && open.at(-1) === "[");
  if (isClosing && (expected === "comma-or-end" || expected.endsWith("-or-end"))) {
    open.pop();
    return { at: at + 1, expected: "comma-or-end" };
  }
  if (expected === "comma-or-end" && character === ",") return { at: at + 1, expected: open.at(-1) === "{" ? "key" : "value" };
  if (expected === "colon" && character === ":") return { at: at + 1, expected: "value" };
  if (expected !== "value" && expected !== "value-or-end") return { at, kind: "other" };
  if (character === "{" || character === "[") {
    open.push(character);
    return { at: at + 1, expected: character === "{" ? "key-or-end" : "value-or-end" };
  }
  const end = endOf(scalar, text, at);
  if (end !== null) return { at: end, expected: "comma-or-end" };
  return endOf(startOfScalar, text, at) === null ? { at, kind: "other" } : { at: text.length, kind: "cut" };
}

const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const startOfEscape = /\\(?:u[\da-fA-F]{0,3})?$/y;

function endOfString(text: string, start: number): number | JsonFault {
  let at = start + 1;
  while (at < text.length) {
    const character = text[at] ?? "";
    if (character === '"') return at + 1;
    if (character < " ") return { at, kind: "other" };
    const next = character === "\\" ? endOf(escape, text, at) : at + 1;
    if (next === null) return endOf(startOfEscape, text, at) === null ? { at, kind: "other" } : { at: text.length, kind: "cut" };
    at = next;
  }
  return { at: text.length, kind: "cut" };
}

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}
