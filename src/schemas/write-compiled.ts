import { mkdirSync, writeFileSync } from "node:fs";
import standalone from "ajv/dist/standalone/index.js";
import { compileCheck } from "./compile-check.ts";
import { compiledSchemas } from "./compiled-schemas.ts";

/**
 * Writes the check of each schema as code that needs no compiler. The build calls it: compiling costs each command up to half a
 * second of processor time otherwise.
 */
export function writeCompiled(folder: URL): void {
  mkdirSync(folder, { recursive: true });
  for (const { name, verbose, file } of compiledSchemas()) {
    const { ajv, check } = compileCheck(name, verbose);
    writeFileSync(new URL(file, folder), standalone.default(ajv, check));
  }
}
