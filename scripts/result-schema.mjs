// Derives schemas/result.schema.json from the types of src/core/ (see schema-of-type.mjs).
//   node scripts/result-schema.mjs           writes the file
//   import { buildResultSchema } ...          for the test that compares
import { writeFileSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { schemaOfType } from "./schema-of-type.mjs";

/**
 * Names that the code knows all of and a reader of results does not: those of earlier versions stand in results that were kept, and
 * later versions add some within one schemaVersion.
 */
const openNames = ["ExamPartName", "LimitCheckId", "LimitPhase", "TimelinePhase", "UnjudgedPart"];

/** JSON Schema 2020-12 of the interface `Result`, every named type a definition. */
export function buildResultSchema() {
  const schema = openUp(schemaOfType({ path: "src/core/result/result.ts", type: "Result" }));
  const { definitions, description, ...result } = schema;
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

/** Open names become texts. */
function openUp(schema) {
  if (Array.isArray(schema)) return schema.map(openUp);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([name, value]) =>
    name === "$ref" && openNames.some((open) => value === `#/$defs/${open}`) ? ["type", "string"] : [name, openUp(value)],
  );
  return Object.fromEntries(entries);
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const file = new URL("../schemas/result.schema.json", import.meta.url);
  writeFileSync(file, `${JSON.stringify(buildResultSchema(), null, 2)}\n`);
}
