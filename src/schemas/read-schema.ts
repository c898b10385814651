import { readFileSync } from "node:fs";

/** Works in `src/` and in `dist/src/`: the build copies `schemas/` beside the code. */
const folder = new URL("../../schemas/", import.meta.url);

/** A JSON Schema by its path below `schemas/` without `.json`: `wire/error.response`, `result.schema`. */
export function readSchema(name: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readSchemaText(name)) as Readonly<Record<string, unknown>>;
}

export function readSchemaText(name: string): string {
  return readFileSync(new URL(`${name}.json`, folder), "utf8");
}

/** Where the schemas lie. */
export function schemaFolder(): URL {
  return folder;
}
