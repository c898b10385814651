// Derives schemas/config.schema.json from the types of src/core/manifest-file/ (see schema-of-type.mjs).
//   node scripts/config-schema.mjs            writes the file
//   import { buildConfigSchema } ...          for the test that compares
import { writeFileSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { fileSchema } from "./file-schema.mjs";
import { schemaOfType } from "./schema-of-type.mjs";

/** JSON Schema 2020-12 of the interface `ManifestFile`. */
export function buildConfigSchema() {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "https://assay.dev/schemas/config.schema.json",
    title: "Manifest of a target (assay.config.yaml)",
    ...fileSchema(schemaOfType({ path: "src/core/manifest-file/manifest-file.ts", type: "ManifestFile" }), {}),
  };
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const file = new URL("../schemas/config.schema.json", import.meta.url);
  writeFileSync(file, `${JSON.stringify(buildConfigSchema(), null, 2)}\n`);
}
