// Derives schemas/profile.schema.json from the types of src/load/profile/file/ (see schema-of-type.mjs).
//   node scripts/profile-schema.mjs          writes the file
//   import { buildProfileSchema } ...         for the test that compares
import { writeFileSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { fileSchema } from "./file-schema.mjs";
import { schemaOfType } from "./schema-of-type.mjs";

/** Definitions that stay: the page of profiles has a section for each. */
const definitions = { arrivals: "ArrivalsFile", workload: "WorkloadFile", length: "Length" };

/** JSON Schema 2020-12 of the interface `ProfileFile`. */
export function buildProfileSchema() {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "profile.schema.json",
    title: "Load profile of assay",
    ...fileSchema(schemaOfType({ path: "src/load/profile/file/profile-file.ts", type: "ProfileFile" }), definitions),
  };
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const file = new URL("../schemas/profile.schema.json", import.meta.url);
  writeFileSync(file, `${JSON.stringify(buildProfileSchema(), null, 2)}\n`);
}
