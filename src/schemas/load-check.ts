import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { ValidateFunction } from "ajv/dist/2020.js";
import { compileCheck } from "./compile-check.ts";
import { compiledName } from "./compiled-name.ts";
import { packageFolder } from "./package-folder.ts";

const required = createRequire(import.meta.url);
const loaded = new Map<string, ValidateFunction>();

/**
 * The check of a schema, by its path below `schemas/` without `.json`: as the build compiled it, else compiled now, which takes up to
 * half a second. Once in a process. `verbose`: each error comes with the schema of its place.
 */
export function loadCheck(name: string, { verbose = false }: { readonly verbose?: boolean } = {}): ValidateFunction {
  const key = `${name} ${verbose ? "verbose" : "plain"}`;
  const known = loaded.get(key);
  if (known !== undefined) return known;
  const file = new URL(`compiled-schemas/${compiledName(name, verbose)}`, packageFolder);
  const check = existsSync(file) ? (required(fileURLToPath(file)) as ValidateFunction) : compileCheck(name, verbose).check;
  loaded.set(key, check);
  return check;
}
