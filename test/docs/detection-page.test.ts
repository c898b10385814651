import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { allSwitches } from "../../src/reference/switches/all-switches.ts";

const page = readFileSync("docs/measurements/detection.md", "utf8");
const switches: ReadonlySet<string> = new Set(allSwitches.map(({ id }) => id));
const named = [...new Set([...page.matchAll(/`([a-z0-9-]+(?:\/[a-z0-9.-]+)+)`/g)].map(([, name = ""]) => name))];
const quoted = [...page.matchAll(/"([^"]+)"/g)].map(([, words = ""]) => words);

/** The files of tests that a row names without their ending. */
function filesOf(name: string): readonly string[] {
  return ["", ".test.ts", ".prop.test.ts", ".switches.test.ts"]
    .map((end) => `test/${name}${end}`)
    .filter((path) => existsSync(path));
}

describe("docs/measurements/detection.md", () => {
  it.each(named.map((name) => [name]))("names a test or a switch that there is: %s", (name) => {
    expect(switches.has(name) || filesOf(name).length > 0).toBe(true);
  });

  it("quotes titles of tests that there are", () => {
    const files = named.flatMap(filesOf).filter((path) => path.endsWith(".ts"));
    const texts = files.map((path) => readFileSync(path, "utf8"));
    expect(quoted.filter((words) => !texts.some((text) => text.includes(words)))).toEqual([]);
  });
});
