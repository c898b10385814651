import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** Whether a file of tests has one, or a group of them, whose title begins so, and that `npm test` runs. */
function hasTest(source: string, title: string): boolean {
  const words = title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return [...source.matchAll(new RegExp(`\\(\\s*["'\`]${words}`, "g"))].some(({ index }) => {
    const call = source
      .slice(0, index)
      .split("\n")
      .findLast((line) => /^ *(?:it|test|describe)\b/.test(line));
    return call !== undefined && !/^ *\w+\.(?:skip|todo|fails|skipIf|runIf)\b/.test(call);
  });
}

describe("the page about security", () => {
  const page = readFileSync(resolve(root, "docs/security.md"), "utf8");
  const table = page.split("## Promises and their tests\n")[1]?.split("\n## ")[0] ?? "";
  const rows = table.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| promise"));

  it("names a test that exists and runs, by its file and title, for each of its promises", () => {
    expect(rows.length).toBeGreaterThan(20);
    for (const row of rows) {
      const named = [...row.matchAll(/`(test\/[^`]+)` "([^"]+)"/g)].map(([, file, title]) => [file!, title!] as const);
      expect([row, named.length > 0, [...row.matchAll(/`test\//g)].length]).toEqual([row, true, named.length]);
      for (const [file, title] of named) {
        // The form of names that `npm test` looks for.
        expect([file, /(?<!\.all)\.test\.ts$/.test(file) && existsSync(resolve(root, file))]).toEqual([file, true]);
        const source = readFileSync(resolve(root, file), "utf8");
        expect([file, title, hasTest(source, title)]).toEqual([file, title, true]);
        expect([file, /\b(?:describe|it)\.(?:skip|only|todo)\b/.exec(source)?.[0]]).toEqual([file, undefined]);
      }
    }
  });

  it("would not take a test that is skipped, another title, or words elsewhere in the file", () => {
    expect(hasTest('it("holds, always", () => {});', "holds")).toBe(true);
    expect(hasTest('describe("a", () => {\n  it.each([\n    ["x", 1],\n  ])("holds: %s", () => {});\n});', "holds: %s")).toBe(
      true,
    );
    expect(hasTest('it.skip("holds", () => {});', "holds")).toBe(false);
    expect(hasTest('it.todo("holds");', "holds")).toBe(false);
    expect(hasTest('it.skipIf(isLinux)("holds", () => {});', "holds")).toBe(false);
    expect(hasTest('it("breaks", () => {});', "holds")).toBe(false);
    expect(hasTest('const words = "holds";\nit("breaks", () => {});', "holds")).toBe(false);
  });
});
