// Derives schemas/result.schema.json from the types of src/core/, so that the contract cannot drift from the code.
//   node scripts/result-schema.mjs           writes the file
//   import { buildResultSchema } ...          for the test that compares
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { createGenerator } from "ts-json-schema-generator";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Names that the code knows all of and a reader of results does not: those of earlier versions stand in results that were kept, and
 * later versions add some within one schemaVersion.
 */
const openNames = ["ExamPartName", "LimitCheckId", "LimitPhase", "TimelinePhase", "UnjudgedPart"];

/** JSON Schema 2020-12 of the interface `Result`, every named type a definition. */
export function buildResultSchema() {
  const generator = createGenerator({
    path: join(root, "src/core/result/result.ts"),
    tsconfig: join(root, "tsconfig.json"),
    type: "Result",
    topRef: false,
    additionalProperties: false,
    // `npm run typecheck` does that, by the compiler of this project.
    skipTypeCheck: true,
  });
  const { $schema: _draft7, definitions, description, ...result } = asOf2020(generator.createSchema("Result"));
  const closed = Object.entries(definitions).filter(([name]) => !openNames.includes(name));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "result.schema.json",
    title: "Result of a run",
    description,
    ...result,
    $defs: Object.fromEntries(closed.sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

/** The generator writes draft 7: definitions and tuples have other names since. Line breaks of comments are no part of the text. */
function asOf2020(schema) {
  if (Array.isArray(schema)) return schema.map(asOf2020);
  if (typeof schema !== "object" || schema === null) return schema;
  const { items, ...rest } = schema;
  const entries = Object.entries(rest).map(([name, value]) => {
    if (name === "$ref" && openNames.some((open) => value === `#/definitions/${open}`)) return ["type", "string"];
    if (name === "$ref") return [name, value.replace("#/definitions/", "#/$defs/")];
    if (name === "description" && typeof value === "string") return [name, value.replace(/\s+/g, " ")];
    return [name, asOf2020(value)];
  });
  if (Array.isArray(items)) entries.push(["prefixItems", asOf2020(items)], ["items", false]);
  else if (items !== undefined) entries.push(["items", asOf2020(items)]);
  return Object.fromEntries(entries);
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(join(root, "schemas/result.schema.json"), `${JSON.stringify(buildResultSchema(), null, 2)}\n`);
}
