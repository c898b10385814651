import { describe, expect, it } from "vitest";
import { keyRoles } from "../../src/core/key-roles.ts";
import { readSchema } from "../../src/schemas/read-schema.ts";
import { compileFileSchema } from "../../src/schemas/validator.ts";

const problemsOf = compileFileSchema("config.schema");
const least = { target: { baseUrl: "http://127.0.0.1:1" } };

/** Each problem as member, rule and what is allowed. */
const said = (change: object): readonly string[] =>
  problemsOf({ ...least, ...change }).problems.map(
    ({ pointer, keyword, description }) => `${pointer} ${keyword} ${String(description)}`,
  );

describe("config.schema.json", () => {
  it("is what the types of src/core/manifest-file say; node scripts/config-schema.mjs writes it anew", async () => {
    const script = new URL("../../scripts/config-schema.mjs", import.meta.url);
    const { buildConfigSchema } = (await import(script.href)) as { readonly buildConfigSchema: () => unknown };
    expect(readSchema("config.schema")).toEqual(buildConfigSchema());
  });

  it("gives the names of keys that checks look for as examples", () => {
    const { properties } = readSchema("config.schema") as {
      readonly properties: { readonly keys: { readonly propertyNames: { readonly examples: readonly string[] } } };
    };
    expect(properties.keys.propertyNames.examples).toEqual(keyRoles.map(({ name }) => name));
  });

  it("reports one problem for one mistake, with what is allowed there", () => {
    const key = (primary: unknown): object => ({ keys: { primary } });
    expect(said({})).toEqual([]);
    expect(said(key("${A}"))).toEqual([]);
    expect(said(key({ secret: "${A}", id: null }))).toEqual([]);
    expect(said(key(5))).toEqual([expect.stringMatching(/^\/keys\/primary type a reference such as/)]);
    expect(said(key(""))).toEqual([expect.stringMatching(/^\/keys\/primary minLength a reference such as/)]);
    expect(said(key({ id: "x" }))).toEqual(["/keys/primary required a reference such as ${ASSAY_API_KEY}"]);
    expect(said(key({ secret: "${A}", allowShort: 1 }))).toEqual([
      expect.stringMatching(/^\/keys\/primary\/allowShort type true for a key/),
    ]);
    expect(said({ faults: { 504: {} } })).toEqual([expect.stringMatching(/^\/faults propertyNames how to make/)]);
    expect(said({ budget: { maxRequests: 0 } })).toEqual([expect.stringMatching(/maxRequests minimum a positive integer/)]);
    expect(said({ restore: { account: {} } })).toEqual([expect.stringMatching(/^\/restore\/account required cents/)]);
  });
});
