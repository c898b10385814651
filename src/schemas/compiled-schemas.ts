import { wireSchemaNames } from "./compile-check.ts";
import { compiledName } from "./compiled-name.ts";

export interface CompiledSchema {
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
