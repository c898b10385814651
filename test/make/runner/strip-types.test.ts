import { expect, it } from "vitest";
import { parseGate } from "../../../src/load/gates/parse-gate.ts";
import { readFileSync } from "node:fs";
import { stripTypes } from "./strip-types.ts";

it("leaves every line and column where it was", () => {
  const source = [
    'import { a, type B } from "./a.ts";',
    'import "./c.ts";',
    "interface D {",
    "  readonly e: B;",
    "}",
    'export const f = async (d: D): Promise<number> => (await import("../g.ts")).h(a, d.e as never);',
    'export { i } from "i";',
  ].join("\n");
  const stripped = stripTypes(source);
  expect(stripped.split("\n").map((line) => line.trim())).toEqual([
    expect.stringMatching(/^import \{ a, +\} from "\.\/a\.js";$/),
    'import "./c.js";',
    "",
    "",
    "",
    expect.stringMatching(/^export const f = async \(d {3}\) +=> \(await import\("\.\.\/g\.js"\)\)\.h\(a, d\.e +\);$/),
    'export { i } from "i";',
  ]);
  expect(stripped).toHaveLength(source.length);
});

it("is what the stack of an error of a tested source counts by", () => {
  const lines = readFileSync(new URL("../../../src/load/gates/parse-gate.ts", import.meta.url), "utf8").split("\n");
  const thrown = lines.findIndex((line) => line.includes("throw new SyntaxError(`gate ")) + 1;
  let stack = "";
  try {
    parseGate("foo");
  } catch (error) {
    stack = String((error as Error).stack);
  }
  expect(stack).toMatch(new RegExp(`parse-gate\\.[jt]s:${thrown}:`));
});
