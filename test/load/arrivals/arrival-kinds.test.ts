import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { arrivalKinds } from "../../../src/load/arrivals/arrival-kinds.ts";

interface ProfileSchema {
  readonly $defs: { readonly arrivals: { readonly properties: { readonly kind: { readonly enum: readonly string[] } } } };
}

const kinds = Object.keys(arrivalKinds);

/** Lines that branch on the name of a kind: a kind added later would fall into their last branch, and nobody would notice. */
function branchesOnKinds(text: string): readonly string[] {
  const names = `"(?:${kinds.join("|")})"`;
  const branch = new RegExp(`arrivals\\.kind\\s*[!=]==|\\bkind\\s*[!=]==\\s*${names}|case ${names}:`);
  return text.split("\n").filter((line) => branch.test(line));
}

describe("arrival kinds", () => {
  it("are those of the schema", () => {
    const text = readFileSync(join(import.meta.dirname, "../../../schemas/profile.schema.json"), "utf8");
    const { $defs }: ProfileSchema = JSON.parse(text);
    expect($defs.arrivals.properties.kind.enum.toSorted()).toEqual(kinds.toSorted());
  });

  it("are distinguished in src/load/arrivals only: everything else asks shapeOf(arrivals)", () => {
    expect(branchesOnKinds('if (arrivals.kind === "closed") return;\n    case "bursts":\n  kind !== "sweep"')).toHaveLength(3);
    const src = join(import.meta.dirname, "../../../src");
    const files = ["load", "run", "cli", "features", "report"]
      .flatMap((layer) => readdirSync(join(src, layer), { recursive: true, encoding: "utf8" }).map((file) => join(layer, file)))
      .filter((file) => file.endsWith(".ts") && !file.startsWith("load/arrivals/"));
    expect(files.length).toBeGreaterThan(200);
    const wrong = files.flatMap((file) =>
      branchesOnKinds(readFileSync(join(src, file), "utf8")).map((line) => `${file}: ${line}`),
    );
    expect(wrong, "ask the shape of arrivals (src/load/arrivals/arrival-kind.ts), not the name of their kind").toEqual([]);
  });
});
