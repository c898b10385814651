import { createHash } from "node:crypto";
import { readSchemaText } from "../../../schemas/read-schema.ts";

/** SHA-256 of the catalogue of requirements and of the readings that decide where the specification is silent. */
export function digestCatalogue(): string {
  return createHash("sha256").update(readSchemaText("requirements")).update(readSchemaText("readings")).digest("hex");
}
