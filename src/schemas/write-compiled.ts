import { mkdirSync, writeFileSync } from "node:fs";
import standalone from "ajv/dist/standalone/index.js";
import { compileCheck, wireSchemaNames } from "./compile-check.ts";
import { compiledName } from "./compiled-name.ts";

interface CompiledSchema {
  /** Path below `schemas/` without `.json`. */
  readonly name: string;
  /** Whether each error comes with the schema of its place. */
  readonly verbose: boolean;
  /** Name of the file in `dist/compiled-schemas/`. */
  readonly file: string;
}

const files = ["config.schema", "evidence.schema", "profile.schema", "record.schema", "result.schema"];

/** All that the build compiles. Files of persons, and requests that a service refuses with words, need the schema of each error. */
export function compiledSchemas(): readonly CompiledSchema[] {
  const names = [...files, ...wireSchemaNames().map((wire) => `wire/${wire}`)];
  return names.map((name) => {
    const verbose = name.endsWith(".request") || name === "config.schema" || name === "profile.schema";
    return { name, verbose, file: compiledName(name, verbose) };
  });
}

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
