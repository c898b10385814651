import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import type { Ajv2020, ValidateFunction } from "ajv/dist/2020.js";
import type { FormatsPlugin } from "ajv-formats";
import { readSchema, schemaFolder } from "./read-schema.ts";

export interface CompiledCheck {
  readonly ajv: Ajv2020;
  readonly check: ValidateFunction;
}

const required = createRequire(import.meta.url);

/** Schemas of the wire by name and form; they refer to each other, so that those of a form stand in one compiler. */
const wireCompilers = new Map<boolean, Ajv2020>();

/**
 * Compiles a schema by its path below `schemas/` without `.json`. `verbose`: each error comes with the schema of its place. Throws a
 * `RangeError` where there is no such schema of the wire. ajv is loaded here and not before: a built package has no need of it.
 */
export function compileCheck(name: string, verbose: boolean): CompiledCheck {
  if (!name.startsWith("wire/")) {
    const ajv = createAjv(verbose);
    return { ajv, check: ajv.compile(readSchema(name)) };
  }
  const ajv = wireCompilers.get(verbose) ?? addWireSchemas(createAjv(verbose));
  wireCompilers.set(verbose, ajv);
  const check = ajv.getSchema(`${name.slice("wire/".length)}.json`);
  if (check === undefined) throw new RangeError(`no schema named ${name} in schemas`);
  return { ajv, check };
}

/** Names of the schemas of the wire, without folder and `.json`. */
export function wireSchemaNames(): readonly string[] {
  return readdirSync(new URL("wire/", schemaFolder()))
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.slice(0, -".json".length))
    .toSorted();
}

function addWireSchemas(ajv: Ajv2020): Ajv2020 {
  for (const name of wireSchemaNames()) ajv.addSchema(readSchema(`wire/${name}`), `${name}.json`);
  return ajv;
}

function createAjv(verbose: boolean): Ajv2020 {
  const { Ajv2020: Compiler } = required("ajv/dist/2020.js") as { readonly Ajv2020: typeof Ajv2020 };
  const formats = required("ajv-formats") as { readonly default: FormatsPlugin };
  // Off: conditional requests (`if` / `then`) name members and types that their base describes.
  // The schemas are ours: a test checks them against the meta-schema, whose compilation takes longer than theirs.
  const ajv = new Compiler({
    strict: true,
    strictRequired: false,
    strictTypes: false,
    allErrors: true,
    validateSchema: false,
    verbose,
    code: { source: true },
  });
  formats.default(ajv);
  return ajv;
}
