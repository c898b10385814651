import { readdirSync } from "node:fs";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { SchemaProblem } from "../core/schema-problem.ts";
import { readSchema, schemaFolder } from "./read-schema.ts";

export interface Validator {
  /** Names that `validate` takes: the files of `schemas/wire/` without `.json`. */
  readonly names: readonly string[];
  /** Every problem, in the order of the value, of many alike the first 50; throws a `RangeError` for an unknown name. */
  validate(name: string, value: unknown): readonly SchemaProblem[];
}

let shared: Validator | null = null;

/** The schemas of `schemas/wire/`, each compiled when it is first asked for, once in a process. */
export function createValidator(): Validator {
  shared ??= openWireSchemas();
  return shared;
}

const compiled = new Map<string, ValidateFunction>();

/**
 * Checks values against one schema that is not of the wire (`result.schema`, `config.schema`). Compiled once: it takes a tenth
 * of a second, and a run reads many profiles.
 */
export function compileSchema(name: string): (value: unknown) => readonly SchemaProblem[] {
  const check = compiled.get(name) ?? createAjv().compile(readSchema(name));
  compiled.set(name, check);
  return (value) => runCheck(check, value);
}

function openWireSchemas(): Validator {
  const ajv = createAjv();
  const names = readdirSync(new URL("wire/", schemaFolder()))
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.slice(0, -".json".length))
    .sort();
  for (const name of names) ajv.addSchema(readSchema(`wire/${name}`), `${name}.json`);
  return {
    names,
    validate(name, value) {
      // Compiled at the first call; from then on a lookup.
      const check = ajv.getSchema(`${name}.json`);
      if (check === undefined) throw new RangeError(`no schema named ${name} in schemas/wire`);
      return runCheck(check, value);
    },
  };
}

function createAjv(): Ajv2020 {
  // Off: conditional requests (`if` / `then`) name members and types that their base describes.
  // The schemas are ours: a test checks them against the meta-schema, whose compilation takes longer than theirs.
  const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  return ajv;
}

function runCheck(check: ValidateFunction, value: unknown): readonly SchemaProblem[] {
  if (check(value)) return [];
  const errors = check.errors ?? [];
  // Texts of a hundred thousand problems would take more memory than all else.
  check.errors = null;
  return errors.length <= mostAlike ? errors.map(toProblem) : leaveOutAlike(errors).map(toProblem);
}

/** Of problems of one rule with one member reported at most: a list may have as many items as it likes. */
const mostAlike = 50;

function leaveOutAlike(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const seen = new Map<string, number>();
  return errors.filter((error) => {
    const alike = `${error.schemaPath} ${toProblem(error).property ?? ""}`;
    const count = seen.get(alike) ?? 0;
    seen.set(alike, count + 1);
    return count < mostAlike;
  });
}

function toProblem(error: ErrorObject): SchemaProblem {
  const parameters = error.params as Readonly<Record<string, unknown>>;
  const property = parameters["missingProperty"] ?? parameters["additionalProperty"];
  return {
    pointer: error.instancePath,
    keyword: error.keyword,
    property: typeof property === "string" ? property : null,
    message: error.message ?? `violates ${error.keyword}`,
  };
}
