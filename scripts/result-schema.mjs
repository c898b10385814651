// Derives schemas/result.schema.json from the types of src/core/, so that the contract cannot drift from the code.
// Understands the plain subset of TypeScript that those types are written in and refuses anything else.
//   node scripts/result-schema.mjs           writes the file
//   import { buildResultSchema } ...          for the test that compares
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const core = join(root, "src/core");
const tokenPattern =
  /\/\*\*[\s\S]*?\*\/|\/\*[\s\S]*?\*\/|\/\/[^\n]*|"[^"]*"|-?\d+(?:\.\d+)?|[A-Za-z_$][\w$]*|[{}()[\]<>;:,|?=.]/g;

/** JSON Schema 2020-12 of the interface `Result`, every named type a definition. */
export function buildResultSchema() {
  const declarations = new Map();
  for (const file of readdirSync(core, { recursive: true })
    .filter((name) => name.endsWith(".ts"))
    .sort())
    readDeclarations(readFileSync(join(core, file), "utf8"), declarations);
  const definitions = new Map();
  const use = (name) => {
    if (!declarations.has(name)) throw new Error(`src/core has no type ${name}`);
    if (!definitions.has(name)) {
      definitions.set(name, null);
      definitions.set(name, parseDeclaration(declarations.get(name), use));
    }
    return { $ref: `#/$defs/${name}` };
  };
  use("Result");
  const { description, ...result } = definitions.get("Result");
  definitions.delete("Result");
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "result.schema.json",
    title: "Result of a run",
    ...(description === undefined ? {} : { description }),
    ...result,
    $defs: Object.fromEntries([...definitions].sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

/** Collects `interface` and `type` declarations by name: their tokens and the comment before them. */
function readDeclarations(text, declarations) {
  const tokens = text.match(tokenPattern) ?? [];
  let comment = null;
  for (let at = 0; at < tokens.length; at += 1) {
    if (tokens[at].startsWith("/**")) comment = tokens[at];
    const kind = tokens[at + 1];
    if (tokens[at] !== "export" || (kind !== "interface" && kind !== "type") || tokens[at + 2] === "{") {
      if (tokens[at] === ";") comment = null;
      continue;
    }
    const start = kind === "interface" ? at + 3 : at + 4;
    declarations.set(tokens[at + 2], { tokens: tokens.slice(start), comment, all: text });
    comment = null;
  }
}

function parseDeclaration({ tokens, comment, all }, use) {
  const reader = { tokens, at: 0, use, all };
  const schema = parseUnion(reader);
  const description = commentText(comment);
  return description === "" ? schema : { description, ...schema };
}

function parseUnion(reader) {
  skipComments(reader);
  if (peek(reader) === "|") next(reader);
  const members = [parseSuffixed(reader)];
  while (skipComments(reader) === "|") {
    next(reader);
    skipComments(reader);
    members.push(parseSuffixed(reader));
  }
  if (members.length === 1) return members[0];
  const constants = members.filter((member) => "const" in member);
  const others = members.filter((member) => !("const" in member));
  const choices = constants.length > 1 ? [{ enum: constants.map((member) => member.const) }, ...others] : members;
  if (choices.length === 1) return choices[0];
  const primitive = choices.every((choice) => typeof choice.type === "string" && Object.keys(choice).length === 1);
  return primitive ? { type: choices.map((choice) => choice.type) } : { anyOf: choices };
}

function parseSuffixed(reader) {
  if (peek(reader) === "readonly") next(reader);
  let schema = parsePrimary(reader);
  while (peek(reader) === "[" && reader.tokens[reader.at + 1] === "]") {
    reader.at += 2;
    schema = { type: "array", items: schema };
  }
  return schema;
}

function parsePrimary(reader) {
  const token = next(reader);
  if (token.startsWith('"')) return { const: token.slice(1, -1) };
  if (/^-?\d/.test(token)) return { const: Number(token) };
  if (token === "{") return parseMembers(reader);
  if (token === "(") {
    if (peek(reader) === "typeof") return parseValues(reader);
    const inner = parseUnion(reader);
    expect(reader, ")");
    return inner;
  }
  if (token === "[") return parseTuple(reader);
  if (token === "string" || token === "number" || token === "boolean" || token === "null") return { type: token };
  if (token === "unknown") return {};
  if (token === "Readonly") return parseArguments(reader)[0];
  if (token === "Partial") {
    const { required: _required, ...rest } = parseArguments(reader)[0];
    return rest;
  }
  if (token === "Record") return parseRecord(reader);
  if (token === "Extract") return parseArguments(reader)[1];
  return reader.use(token);
}

function parseRecord(reader) {
  const [keys, values] = parseArguments(reader);
  if (keys.type === "string") return { type: "object", additionalProperties: values };
  const total = { type: "object", propertyNames: keys, additionalProperties: values };
  return total;
}

function parseArguments(reader) {
  expect(reader, "<");
  const parts = [parseUnion(reader)];
  while (peek(reader) === ",") {
    next(reader);
    parts.push(parseUnion(reader));
  }
  expect(reader, ">");
  return parts;
}

function parseTuple(reader) {
  const items = [];
  while (peek(reader) !== "]") {
    // `name: type` and plain `type`
    if (reader.tokens[reader.at + 1] === ":") reader.at += 2;
    items.push(parseUnion(reader));
    if (peek(reader) === ",") next(reader);
  }
  next(reader);
  return { type: "array", prefixItems: items, items: false, minItems: items.length };
}

/** `(typeof suiteIds)[number]` and `(typeof exitCodes)[keyof typeof exitCodes]`: the literals of that constant. */
function parseValues(reader) {
  next(reader);
  const name = next(reader);
  expect(reader, ")");
  expect(reader, "[");
  while (next(reader) !== "]");
  const literal = new RegExp(`export const ${name}(?:: [^=]*)? = ([[{][\\s\\S]*?[\\]}]) as const`).exec(reader.all);
  if (literal === null) throw new Error(`no literal constant ${name}`);
  const words = literal[1].startsWith("[") ? literal[1].match(/"[^"]*"/g) : literal[1].match(/(?<=: )(?:"[^"]*"|\d+)/g);
  return { enum: (words ?? []).map((word) => JSON.parse(word)) };
}

function parseMembers(reader) {
  const properties = {};
  const required = [];
  for (let comment = null; ;) {
    const token = next(reader);
    if (token === "}") break;
    if (token.startsWith("/")) {
      comment = token;
      continue;
    }
    if (token === "readonly" || token === ";") continue;
    const name = token.startsWith('"') ? token.slice(1, -1) : token;
    if (peek(reader) === "?") next(reader);
    else required.push(name);
    expect(reader, ":");
    const schema = parseUnion(reader);
    const description = commentText(comment);
    properties[name] = description === "" ? schema : { description, ...schema };
    comment = null;
  }
  return { type: "object", required, additionalProperties: false, properties };
}

function commentText(comment) {
  return (comment ?? "")
    .replace(/^\/\*\*?|\*\/$/g, "")
    .replace(/^\s*\*/gm, "")
    .replace(/\s+/g, " ")
    .trim();
}

function skipComments(reader) {
  // A comment between members belongs to the next one; between alternatives it explains one and is dropped.
  const ahead = reader.tokens.slice(reader.at).findIndex((token) => !token.startsWith("/"));
  if (ahead > 0 && (reader.tokens[reader.at + ahead] === "|" || reader.tokens[reader.at + ahead].startsWith('"')))
    reader.at += ahead;
  return peek(reader);
}

function peek({ tokens, at }) {
  return tokens[at];
}

function next(reader) {
  const token = reader.tokens[reader.at];
  if (token === undefined) throw new Error("the type ends unexpectedly");
  reader.at += 1;
  return token;
}

function expect(reader, token) {
  const found = next(reader);
  if (found !== token)
    throw new Error(`expected ${token}, found ${found} before ${reader.tokens.slice(reader.at, reader.at + 6).join(" ")}`);
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(join(root, "schemas/result.schema.json"), `${JSON.stringify(buildResultSchema(), null, 2)}\n`);
}
