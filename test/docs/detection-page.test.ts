import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { allSwitches } from "../../src/reference/switches/all-switches.ts";

const switches: ReadonlySet<string> = new Set(allSwitches.map(({ id }) => id));
const endings = ["", ".test.ts", ".prop.test.ts", ".switches.test.ts", ".all.test.ts"];

/** The files of tests that a row names without their ending. */
function filesOf(name: string): readonly string[] {
  return endings.map((end) => `test/${name}${end}`).filter((path) => existsSync(path));
}

function isKnown(name: string): boolean {
  return switches.has(name) || filesOf(name).length > 0 || existsSync(`src/${name}.ts`);
}

describe.each(["detection", "instrument"])("docs/measurements/%s.md", (name) => {
  const page = readFileSync(`docs/measurements/${name}.md`, "utf8");
  const named = [...new Set([...page.matchAll(/`([a-z0-9-]+(?:\/[a-z0-9.-]+)+)`/g)].map(([, path = ""]) => path))];
  const quoted = [...page.matchAll(/"([^"]+)"/g)].map(([, words = ""]) => words);

  it.each(named.map((path) => [path]))("names a test, a source or a switch that there is: %s", (path) => {
    expect(isKnown(path)).toBe(true);
  });

  it("quotes titles of tests that there are", () => {
    const files = named.flatMap(filesOf).filter((path) => path.endsWith(".ts"));
    const texts = files.map((path) => readFileSync(path, "utf8"));
    expect(quoted.filter((words) => !texts.some((text) => text.includes(words)))).toEqual([]);
  });
});
