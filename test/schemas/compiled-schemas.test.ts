import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { ValidateFunction } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileCheck } from "../../src/schemas/compile-check.ts";
import { readSchema } from "../../src/schemas/read-schema.ts";
import { compiledSchemas } from "../../src/schemas/write-compiled.ts";

const required = createRequire(import.meta.url);

/** Values that have members of the schema at their top, so that its rules are asked. */
function valuesFor(name: string): fc.Arbitrary<unknown> {
  const { properties = {} } = readSchema(name) as { readonly properties?: Readonly<Record<string, unknown>> };
  const members = Object.fromEntries(Object.keys(properties).map((member) => [member, fc.jsonValue({ maxDepth: 3 })]));
  return fc.oneof(fc.record(members, { requiredKeys: [] }), fc.jsonValue({ maxDepth: 2 }));
}

function errorsOf(check: ValidateFunction, value: unknown): unknown {
  check(value);
  // By way of JSON: a compiled file holds copies of the schemas that errors name.
  return JSON.parse(JSON.stringify(check.errors ?? []));
}

describe("schemas that the build compiled", () => {
  it.each(compiledSchemas())("finds in $name what the compiler finds", ({ name, verbose, file }) => {
    const path = fileURLToPath(new URL(`../../dist/compiled-schemas/${file}`, import.meta.url));
    expect(existsSync(path), `${file} is missing: npm run build`).toBe(true);
    const built = required(path) as ValidateFunction;
    const { check } = compileCheck(name, verbose);
    fc.assert(
      fc.property(valuesFor(name), (value) => {
        expect(errorsOf(built, value)).toEqual(errorsOf(check, value));
      }),
      { numRuns: 50 },
    );
  });
});
