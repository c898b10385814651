import { isCollection, isMap, isScalar, LineCounter, type Document, type YAMLError } from "yaml";
import { suggestWord } from "../core/suggest-word.ts";
import type { FileProblem } from "../core/file-problem.ts";
import { findYamlExcess } from "../core/yaml-excess.ts";
import { parseYaml } from "./parse-yaml.ts";
import { compileFileSchema, type FileSchemaProblem } from "./validator.ts";

export interface ReadYamlOptions {
  /** Shown in messages. */
  readonly file: string;
  /** `config.schema` */
  readonly schema: string;
  /** Members whose value may be a secret: messages do not show it. */
  readonly isSecret?: (path: readonly string[]) => boolean;
}

export interface ReadYaml {
  readonly value: unknown;
  /** Everything that is wrong, in the order of the lines; empty: the schema accepts the value. */
  readonly problems: readonly FileProblem[];
  /** A further problem, at the line of the member. */
  readonly problemAt: (path: readonly string[], words: ProblemWords) => FileProblem;
}

export type ProblemWords = Pick<FileProblem, "message" | "expected" | "suggestion">;

/** Reads a YAML (or JSON) file that a person wrote and holds it to its schema: a problem names line, member, what is allowed, what was meant. */
export function readYaml(text: string, { file, schema, isSecret = () => false }: ReadYamlOptions): ReadYaml {
  const lines = new LineCounter();
  const failed = (message: string): ReadYaml => {
    const problem = { file, line: null, member: "", message, expected: null, suggestion: null };
    return { value: null, problems: [problem], problemAt: (_path, words) => ({ ...problem, ...words }) };
  };
  const excess = findYamlExcess(text);
  // A text that would take all memory or stack is refused: a file may come with a repository of somebody else.
  if (excess !== null) return failed(excess);
  let document: Document;
  let mistake: YAMLError | undefined;
  let value: unknown;
  try {
    ({ document, mistake } = parseYaml(text, { lineCounter: lines, prettyErrors: false }));
    value = mistake !== undefined ? {} : (document.toJS({ maxAliasCount: 100 }) ?? {});
  } catch (error) {
    // Aliases that unfold without end.
    return failed(`not usable YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  const problemAt = (path: readonly string[], words: ProblemWords): FileProblem => {
    const line = lines.linePos(offsetOf(document, path)).line;
    return { file, line, member: path.join("."), ...words };
  };
  // The parser trips over what follows the first mistake, too.
  if (mistake !== undefined) {
    const line = lines.linePos(mistake.pos[0]).line;
    const isBareReference = /[{[][^#"']*[\s:,[]\$\{/.test(text.split("\n")[line - 1] ?? "");
    const hint = isBareReference ? '; within { } and [ ] a reference stands in quotes: "${NAME}"' : "";
    const problem = problemAt([], { message: `not valid YAML: ${mistake.message}${hint}`, expected: null, suggestion: null });
    return { value, problems: [{ ...problem, line }], problemAt };
  }
  const found = compileFileSchema(schema)(value).map((problem) => {
    const { path, words } = describeProblem(problem, value, isSecret);
    return problemAt(path, words);
  });
  const unique = [...new Map(found.map((problem) => [`${problem.member} ${problem.message}`, problem])).values()];
  return { value, problems: unique.toSorted((one, other) => one.line! - other.line!), problemAt };
}

function describeProblem(
  problem: FileSchemaProblem,
  value: unknown,
  isSecret: (path: readonly string[]) => boolean,
): { readonly path: readonly string[]; readonly words: ProblemWords } {
  const { keyword, description: expected, known, allowed } = problem;
  const path = pathOf(problem.pointer);
  const property = problem.property ?? "a member";
  switch (keyword) {
    case "additionalProperties":
      return {
        path: [...path, property],
        words: {
          message: "unknown member",
          expected: known.length > 0 ? `one of ${known.join(", ")}` : expected,
          suggestion: suggestWord(property, known),
        },
      };
    case "required":
      return { path, words: { message: `${property} is missing`, expected, suggestion: null } };
    case "propertyNames":
      return { path, words: { message: "a name in this mapping is not allowed", expected, suggestion: null } };
    case "enum": {
      const given = valueAt(value, path);
      const names = allowed.filter((each) => typeof each === "string");
      return {
        path,
        words: {
          message: `${JSON.stringify(given)} is not allowed`,
          expected: nameAll(expected, allowed),
          suggestion: typeof given === "string" ? suggestWord(given, names) : null,
        },
      };
    }
    default: {
      const shown = isSecret(path) ? "the value" : (JSON.stringify(valueAt(value, path)) ?? "nothing").slice(0, 80);
      const isChoice = keyword === "oneOf" || keyword === "anyOf";
      return {
        path,
        words: { message: `${shown} ${isChoice ? "is not allowed" : problem.message}`, expected, suggestion: null },
      };
    }
  }
}

/** The description of a member, with the allowed values where it does not name them all. */
function nameAll(description: string | null, allowed: readonly unknown[]): string {
  const names = allowed.map(String);
  if (description !== null && names.every((name) => description.includes(name))) return description;
  return `one of ${names.join(", ")}${description === null ? "" : `: ${description}`}`;
}

function pathOf(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === "object" && inner !== null ? (inner as Readonly<Record<string, unknown>>)[step] : undefined,
    value,
  );
}

/** Offset of the member's name, so that the message points at the line a person would edit. */
function offsetOf(document: Document, path: readonly string[]): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const step of path) {
    if (!isCollection(node)) break;
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === step);
      if (pair === undefined) break;
      if (isScalar(pair.key) && pair.key.range != null) offset = pair.key.range[0];
      node = pair.value;
    } else {
      node = node.get(Number(step), true);
      if (typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range))
        offset = Number(node.range[0]);
    }
  }
  return offset;
}
