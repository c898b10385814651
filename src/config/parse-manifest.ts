import { isCollection, isMap, isScalar, LineCounter, parseDocument, type Document } from "yaml";
import { findYamlExcess } from "../core/yaml-excess.ts";
import { closestWord } from "../core/closest-word.ts";
import type { SchemaProblem } from "../core/schema-problem.ts";
import { readSchema } from "../schemas/read-schema.ts";
import { compileSchema } from "../schemas/validator.ts";
import { checkResolved } from "./check-resolved.ts";
import { completeManifest, type ManifestDocument } from "./complete-manifest.ts";
import { ConfigError, type ConfigProblem } from "./config-problem.ts";
import { chooseTarget } from "./choose-target.ts";
import { resolveReferences } from "./resolve-references.ts";
import type { Manifest } from "../core/manifest.ts";

export interface ParsedManifest {
  readonly manifest: Manifest;
  /** What was left out and why: keys whose variables are not set. */
  readonly notes: readonly string[];
}

export interface ParseOptions {
  /** Shown in messages. */
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `--base-url`: where it names another host, nothing in the manifest that belongs to its own target is used. */
  readonly baseUrl?: string | null;
}

type SchemaNode = Readonly<Record<string, unknown>>;

/** Text of `assay.config.yaml` to a manifest; throws a `ConfigError` that holds every problem with its line. */
export function parseManifest(text: string, { file, env, baseUrl = null }: ParseOptions): ParsedManifest {
  const lines = new LineCounter();
  const { document, value } = readDocument(text, file, lines);
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  if (document.errors.length > 0) {
    throw new ConfigError(
      document.errors.map((error) => ({
        file,
        line: lineAt(error.pos[0]),
        member: "",
        message: `not valid YAML: ${error.message}`,
        expected: null,
        suggestion: null,
      })),
    );
  }
  const problems = compileSchema("config.schema")(value).flatMap((problem) => {
    const described = describeSchemaProblem(problem, value);
    if (described === null) return [];
    return [{ file, line: lineAt(offsetOf(document, described.path)), member: described.path.join("."), ...described.words }];
  });
  const unique = [...new Map(problems.map((problem) => [`${problem.member} ${problem.message}`, problem])).values()];
  if (unique.length > 0) throw new ConfigError(unique.toSorted((one, other) => one.line - other.line));

  const { document: chosen, notes } = chooseTarget(value as ManifestDocument, { file, env, baseUrl });
  const resolved = resolveReferences(chosen, env);
  const checked = checkResolved(completeManifest(resolved.document), file);
  const found = [...resolved.problems, ...checked.problems];
  // A reference that is not set explains by itself why what it stands for is wrong.
  const memberOf = (problem: (typeof found)[number]): string => problem.path.join(".");
  const first = found.filter((problem, index) => found.findIndex((other) => memberOf(other) === memberOf(problem)) === index);
  if (first.length > 0) {
    throw new ConfigError(
      first
        .map(({ path, ...words }) => ({ file, line: lineAt(offsetOf(document, path)), member: path.join("."), ...words }))
        .toSorted((one, other) => one.line - other.line),
    );
  }
  return { manifest: checked.manifest, notes: [...notes, ...resolved.notes, ...checked.notes] };
}

/** Throws a ConfigError for what would take the memory or the stack with it: a manifest may come with a repository of somebody else. */
function readDocument(text: string, file: string, lines: LineCounter): { readonly document: Document; readonly value: unknown } {
  const refuse = (message: string): never => {
    throw new ConfigError([{ file, line: null, member: "", message, expected: null, suggestion: null }]);
  };
  const excess = findYamlExcess(text);
  if (excess !== null) return refuse(`not a manifest: ${excess}`);
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
    const value: unknown = document.errors.length > 0 ? {} : (document.toJS({ maxAliasCount: 100 }) ?? {});
    return { document, value };
  } catch (error) {
    // Aliases that unfold without end.
    return refuse(`not usable YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}

interface DescribedProblem {
  readonly path: readonly string[];
  readonly words: Pick<ConfigProblem, "message" | "expected" | "suggestion">;
}

/** Applicators only say that a branch failed; the branch's own problem says what is wrong. */
function describeSchemaProblem(problem: SchemaProblem, value: unknown): DescribedProblem | null {
  const path = problem.pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const schema = schemaAt(path);
  const expected = typeof schema?.["description"] === "string" ? schema["description"] : null;
  switch (problem.keyword) {
    case "additionalProperties": {
      const member = problem.property ?? "";
      const known = Object.keys((schema?.["properties"] as SchemaNode | undefined) ?? {});
      const near = closestWord(member, known);
      return {
        path: [...path, member],
        words: {
          message: "unknown member",
          expected: known.length > 0 ? `one of ${known.join(", ")}` : expected,
          suggestion: near === null ? null : `did you mean ${near}?`,
        },
      };
    }
    case "required":
      return { path, words: { message: `${problem.property ?? "a member"} is missing`, expected, suggestion: null } };
    case "propertyNames":
      return { path, words: { message: "a name in this mapping is not allowed", expected, suggestion: null } };
    case "enum": {
      const given = valueAt(value, path);
      const allowed = ((schema?.["enum"] as readonly unknown[] | undefined) ?? []).filter((each) => typeof each === "string");
      const near = typeof given === "string" ? closestWord(given, allowed) : null;
      return {
        path,
        words: {
          message: `${JSON.stringify(given)} is not allowed`,
          expected,
          suggestion: near === null ? null : `did you mean ${near}?`,
        },
      };
    }
    default:
      return {
        path,
        words: { message: `${showValue(value, path)} ${problem.message}`, expected, suggestion: null },
      };
  }
}

/** The value at fault, unless it may be a secret that was written into the file. */
function showValue(value: unknown, path: readonly string[]): string {
  const secret = ["keys", "control"].includes(path[0] ?? "") || (path[0] === "target" && path[1] === "headers");
  return secret ? "the value" : (JSON.stringify(valueAt(value, path)) ?? "nothing").slice(0, 80);
}

function schemaAt(path: readonly string[]): SchemaNode | null {
  let node: SchemaNode | null = readSchema("config.schema");
  for (const step of path) {
    const properties = node?.["properties"] as Readonly<Record<string, SchemaNode>> | undefined;
    const next: unknown = properties?.[step] ?? node?.["items"] ?? node?.["additionalProperties"];
    node = typeof next === "object" && next !== null ? (next as SchemaNode) : null;
  }
  return node;
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
