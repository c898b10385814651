import { describe, expect, it } from "vitest";
import { readSchema } from "../../src/schemas/read-schema.ts";
import { compileFileSchema } from "../../src/schemas/validator.ts";

const problemsOf = compileFileSchema("profile.schema");
const least = { id: "x", title: "X", arrivals: { kind: "poisson", ratePerSecond: 1 }, workload: [{ endpoint: "chat" }] };

/** Each problem as member, rule and what is allowed. */
const said = (change: object): readonly string[] =>
  problemsOf({ ...least, ...change }).problems.map(
    ({ pointer, keyword, description }) => `${pointer} ${keyword} ${String(description)}`,
  );

describe("profile.schema.json", () => {
  it("is what the types of src/load/profile/file say; node scripts/profile-schema.mjs writes it anew", async () => {
    const script = new URL("../../scripts/profile-schema.mjs", import.meta.url);
    const { buildProfileSchema } = (await import(script.href)) as { readonly buildProfileSchema: () => unknown };
    expect(readSchema("profile.schema")).toEqual(buildProfileSchema());
  });

  it("lists the members of an entry from the one that chooses its kind", () => {
    const [problem] = problemsOf({ ...least, workload: [{ endpoint: "chat", modl: "x" }] }).problems;
    expect(problem?.known.slice(0, 5)).toEqual(["endpoint", "label", "weight", "stream", "promptTokens"]);
    expect(problem?.known.slice(-2)).toEqual(["uniqueBeginnings", "model"]);
  });

  it("reports one problem for one mistake, with what is allowed there", () => {
    const prompt = (promptTokens: unknown): object => ({ workload: [{ endpoint: "chat", promptTokens }] });
    expect(said({})).toEqual([]);
    expect(said(prompt("long"))).toEqual([expect.stringMatching(/promptTokens type a number, or a distribution/)]);
    expect(said(prompt(-1))).toEqual([expect.stringMatching(/promptTokens minimum 0 or more/)]);
    expect(said(prompt({ kind: "fixed" }))).toEqual([expect.stringMatching(/promptTokens required/)]);
    expect(said({ engine: 5 })).toEqual([expect.stringMatching(/^\/engine enum assay; or autocannon/)]);
    expect(said({ workers: 99 })).toEqual([expect.stringMatching(/^\/workers anyOf worker threads/)]);
    expect(said({ retry: { max: 99 } })).toEqual([expect.stringMatching(/^\/retry\/max maximum further attempts/)]);
    expect(said({ arrivals: { kind: "bursts", bursts: [{ at: 0, size: "many" }] } })).toEqual([
      expect.stringMatching(/^\/arrivals\/bursts\/0\/size pattern requests: a number, or limit/),
    ]);
    expect(said({ workload: [{ endpoint: "chat", leave: { share: 1, after: "soon" } }] })).toEqual([
      expect.stringMatching(/leave\/after anyOf with the response head/),
    ]);
    expect(said({ workload: [{ endpoint: "chat", body: { model: "x" } }] })).toEqual([
      expect.stringMatching(/body propertyNames further members/),
    ]);
  });
});
