import { suggestWord } from "../core/suggest-word.ts";
import type { FileProblem } from "../core/file-problem.ts";
import { shortName, shortValue } from "../core/short-value.ts";
import { parseYaml } from "./parse-yaml.ts";
import { compileFileSchema, type FileSchemaProblem } from "./validator.ts";
import { isCollection, isMap, isScalar, type Document, type Scalar, type YAMLMap } from "yaml";

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
  /** The faults, in the order of the lines; empty: the schema accepts the value. */
  readonly problems: readonly FileProblem[];
  /** How many further problems there are, which nobody would read. */
  readonly leftOut: number;
  /** A further problem, at the line of the member. */
  readonly problemAt: (path: readonly string[], words: ProblemWords) => FileProblem;
}

export type ProblemWords = Pick<FileProblem, "message" | "expected" | "suggestion">;

/** More than anybody reads: the problems after these are counted. */
const mostDescribed = 50;

/** Reads a YAML (or JSON) file that a person wrote and holds it to its schema: a problem names line, member, what is allowed, what was meant. */
export function readYaml(text: string, { file, schema, isSecret = () => false }: ReadYamlOptions): ReadYaml {
  const parsed = parseYaml(text);
  if (parsed.kind !== "value") {
    const [line, message] =
      parsed.kind === "excess"
        ? [null, `not usable YAML: ${parsed.message}`]
        : [parsed.line, `not valid YAML: ${parsed.message}${hintAt(text, parsed.line)}`];
    const problem = { file, line, member: "", message, expected: null, suggestion: null };
    return { value: {}, problems: [problem], leftOut: 0, problemAt: (_path, words) => ({ ...problem, ...words }) };
  }
  const { document, lineAt } = parsed;
  const value = parsed.value ?? {};
  const offsetOf = createOffsetFinder(document);
  const problemAt = (path: readonly string[], words: ProblemWords): FileProblem => ({
    file,
    line: lineAt(offsetOf(path)),
    member: path.map(shortName).join("."),
    ...words,
  });
  const { problems, leftOut } = compileFileSchema(schema)(value);
  const placed = problems
    .map((problem) => ({ problem, offset: offsetOf(pathOfProblem(problem)) }))
    .toSorted((one, other) => one.offset - other.offset);
  const found = placed.slice(0, mostDescribed).map(({ problem, offset }) => {
    const { path, words } = describeProblem(problem, value, isSecret);
    return { ...problemAt(path, words), line: lineAt(offset) };
  });
  const unique = [...new Map(found.map((problem) => [`${problem.member} ${problem.message}`, problem])).values()];
  return { value, problems: unique, leftOut: leftOut + placed.length - found.length, problemAt };
}

/** The place at which the parser may have tripped over a reference that is not quoted. */
function hintAt(text: string, line: number): string {
  const start = (text.split("\n", line)[line - 1] ?? "").slice(0, longestLooked);
  return /[{[][^#"']*[\s:,[]\$\{/.test(start) ? '; within { } and [ ] a reference stands in quotes: "${NAME}"' : "";
}

const longestLooked = 500;
/** The member at fault, as `describeProblem` names it. */
function pathOfProblem({ keyword, pointer, property }: FileSchemaProblem): readonly string[] {
  const isName = keyword === "additionalProperties" || keyword === "propertyNames";
  return isName && property !== null ? [...pathOf(pointer), property] : pathOf(pointer);
}

function describeProblem(
  problem: FileSchemaProblem,
  value: unknown,
  isSecret: (path: readonly string[]) => boolean,
): { readonly path: readonly string[]; readonly words: ProblemWords } {
  const { keyword, description: expected, known, closed, allowed } = problem;
  const path = pathOf(problem.pointer);
  const property = problem.property ?? "a member";
  switch (keyword) {
    case "additionalProperties":
    case "propertyNames": {
      const suggestion = suggestWord(property, known);
      const words = { expected: closed && known.length > 0 ? `one of ${known.join(", ")}` : expected, suggestion };
      // A long name in the place of secrets may be one that was written on the wrong side.
      const isHidden =
        keyword === "propertyNames" && suggestion === null && property.length >= 8 && isSecret([...path, property]);
      return isHidden
        ? { path, words: { ...words, message: "the name of a member is not allowed" } }
        : { path: [...path, property], words: { ...words, message: "unknown member" } };
    }
    case "required":
      return { path, words: { message: `${shortName(property)} is missing`, expected, suggestion: null } };
    case "enum": {
      const given = valueAt(value, path);
      const names = allowed.filter((each) => typeof each === "string");
      return {
        path,
        words: {
          message: `${isSecret(path) ? "the value" : shortValue(given)} is not allowed`,
          expected: nameAll(expected, allowed),
          suggestion: typeof given === "string" ? suggestWord(given, names) : null,
        },
      };
    }
    default: {
      const shown = isSecret(path) ? "the value" : shortValue(valueAt(value, path));
      const said = keyword === "type" ? problem.message.replaceAll(",", " or ") : problem.message;
      const isChoice = keyword === "oneOf" || keyword === "anyOf";
      return {
        path,
        words: { message: `${shown} ${isChoice ? "is not allowed" : said}`, expected, suggestion: null },
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

interface Member {
  readonly key: Scalar;
  readonly value: unknown;
}

/**
 * Finds the offset of a member's name, so that a message points at the line that a person would edit. Looks through each mapping
 * once: a file may have as many problems as members.
 */
function createOffsetFinder(document: Document): (path: readonly string[]) => number {
  const indexes = new WeakMap<YAMLMap, ReadonlyMap<string, Member>>();
  const membersOf = (node: YAMLMap): ReadonlyMap<string, Member> => {
    const known = indexes.get(node);
    if (known !== undefined) return known;
    const members = new Map<string, Member>();
    for (const { key, value } of node.items) if (isScalar(key)) members.set(String(key.value), { key, value });
    indexes.set(node, members);
    return members;
  };
  return (path) => {
    let node: unknown = document.contents;
    let offset = 0;
    for (const step of path) {
      if (!isCollection(node)) break;
      if (isMap(node)) {
        const member = membersOf(node).get(step);
        if (member === undefined) break;
        offset = member.key.range?.[0] ?? offset;
        node = member.value;
      } else {
        node = node.get(Number(step), true);
        if (typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range))
          offset = Number(node.range[0]);
      }
    }
    return offset;
  };
}
