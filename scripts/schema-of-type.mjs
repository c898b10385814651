// Derives a JSON Schema 2020-12 from a type of src/, so that a contract cannot drift from the code. Comments are descriptions; their
// tags (`@minimum 1`, `@pattern ^x$`) are keywords, and `@discriminator kind` on a union chooses an alternative by one member.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createGenerator } from "ts-json-schema-generator";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The schema of `type` in `path`, every exported type that it names below `definitions`. */
export function schemaOfType({ path, type }) {
  const generator = createGenerator({
    path: join(root, path),
    tsconfig: join(root, "tsconfig.json"),
    type,
    topRef: false,
    additionalProperties: false,
    // `npm run typecheck` does that, by the compiler of this project.
    skipTypeCheck: true,
  });
  const { $schema: _draft7, ...schema } = asOf2020(generator.createSchema(type));
  return schema;
}

/** The generator writes draft 7: definitions and tuples have other names since. Line breaks of comments are no part of the text. */
function asOf2020(schema) {
  if (Array.isArray(schema)) return schema.map(asOf2020);
  if (typeof schema !== "object" || schema === null) return schema;
  const { items, ...rest } = schema;
  const entries = Object.entries(rest).map(([name, value]) => {
    if (name === "$ref") return [name, value.replace("#/definitions/", "#/$defs/")];
    if (name === "description" && typeof value === "string") return [name, value.replace(/\s+/g, " ")];
    return [name, asOf2020(value)];
  });
  if (Array.isArray(items)) entries.push(["prefixItems", asOf2020(items)], ["items", false]);
  else if (items !== undefined) entries.push(["items", asOf2020(items)]);
  return Object.fromEntries(entries);
}
