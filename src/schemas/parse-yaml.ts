import { isScalar, Lexer, LineCounter, parseDocument, visit, type Document } from "yaml";
import { shortWords } from "../core/short-value.ts";
import { findTreeExcess } from "../core/tree-excess.ts";

export type ParsedYaml =
  | { readonly kind: "value"; readonly document: Document; readonly lineAt: (offset: number) => number; readonly value: unknown }
  | { readonly kind: "mistake"; readonly line: number; readonly message: string }
  /** It is YAML, and no tree that anybody would write. */
  | { readonly kind: "excess"; readonly message: string };

/**
 * Parses YAML (or JSON) to a tree: a file may come with a repository of somebody else. Text that would take the memory or the stack
 * with it, and aliases that lead in a circle or unfold without bound, are an excess. By itself the parser warns on stderr of names
 * that are lists or mappings, and only there of tags that it does not know: here both are mistakes.
 */
export function parseYaml(text: string): ParsedYaml {
  const textExcess = findTextExcess(text) ?? findTokenExcess(text);
  if (textExcess !== null) return { kind: "excess", message: textExcess };
  const lines = new LineCounter();
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  // The parser compares each name with all before it: 100,000 of them take half a minute.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "error", uniqueKeys: false });
  const [mistake] = [...document.errors, ...document.warnings];
  if (mistake !== undefined) return { kind: "mistake", line: lineAt(mistake.pos[0]), message: shortMessage(mistake.message) };
  const repeated = findRepeatedName(document);
  if (repeated !== null) return { kind: "mistake", line: lineAt(repeated), message: "Map keys must be unique" };
  let value: unknown;
  try {
    // Each alias shares the value that its anchor names: no memory is taken until somebody walks it as a tree.
    value = document.toJS({ maxAliasCount: -1 });
  } catch (error) {
    return { kind: "excess", message: shortMessage(error instanceof Error ? error.message : String(error)) };
  }
  const treeExcess = findTreeExcess(value);
  return treeExcess === null ? { kind: "value", document, lineAt, value } : { kind: "excess", message: treeExcess };
}

/** Bounds of a YAML text: nobody writes more, or nests deeper, by hand. */
const mostCharacters = 262_144;
const mostLevels = 100;

/**
 * The property of a YAML text that is too much for a parser that recurses, null for any file that is meant to be read. Without
 * stack left the engine may end the process, and no handler of errors prevents that. Brackets in texts are counted too.
 */
function findTextExcess(text: string): string | null {
  if (text.length > mostCharacters) return `it has more than ${mostCharacters} characters`;
  let depth = 0;
  for (const line of text.split(/[\r\n]+/)) {
    // A level of a block takes a blank, a dash or a question mark at the begin of its line.
    const lead = /^[\s?-]*/.exec(line)?.[0].length ?? 0;
    if (lead > 2 * mostLevels) return `it is nested deeper than ${mostLevels} levels`;
    for (const [bracket] of line.matchAll(/[[\]{}]/g)) {
      depth = Math.max(0, depth + (bracket === "[" || bracket === "{" ? 1 : -1));
      if (depth > mostLevels) return `it is nested deeper than ${mostLevels} levels`;
    }
  }
  return null;
}

const longestMessage = 300;

/** The message of the parser may quote any length of the file. */
function shortMessage(message: string): string {
  const short = shortWords(message);
  return short.length <= longestMessage ? short : `${short.slice(0, longestMessage)}…`;
}

/** Tokens of a file, at most: the parser takes time by the square of its mistakes. */
const mostTokens = 100_000;
/** Anchors and aliases, at most: the parser takes time by the square of them. */
const mostAliases = 1_000;
/** The lexer puts this before the text of a scalar, which may begin with any character. */
const scalarMark = "\u001f";

function findTokenExcess(text: string): string | null {
  let [tokens, aliases, before] = [0, 0, ""];
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (before !== scalarMark && (token.startsWith("&") || token.startsWith("*"))) aliases += 1;
    if (tokens > mostTokens) return `it has more than ${mostTokens} tokens`;
    if (aliases > mostAliases) return `it has more than ${mostAliases} anchors and aliases`;
    before = token;
  }
  return null;
}

/** Offset of a name that its mapping holds already. */
function findRepeatedName(document: Document): number | null {
  let offset: number | null = null;
  visit(document, {
    Map(_key, { items }) {
      const names = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (names.has(key.value)) {
          offset = key.range?.[0] ?? 0;
          return visit.BREAK;
        }
        names.add(key.value);
      }
      return undefined;
    },
  });
  return offset;
}
