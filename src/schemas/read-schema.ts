import { readFileSync } from "node:fs";
import { packageFolder } from "./package-folder.ts";

const folder = new URL("schemas/", packageFolder);

/** A JSON Schema by its path below `schemas/` without `.json`: `wire/error.response`, `result.schema`. */
export function readSchema(name: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readSchemaText(name)) as Readonly<Record<string, unknown>>;
}

export function readSchemaText(name: string): string {
  return readFileSync(new URL(`${name}.json`, folder), "utf8");
}

/** The folder of the schemas. */
export function schemaFolder(): URL {
  return folder;
}
