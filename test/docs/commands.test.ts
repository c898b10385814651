import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parseCommand } from "./parse-command.ts";

const root = resolve(import.meta.dirname, "../..");
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "docs/metrics.md",
  "docs/other-tools.md",
  ...readdirSync(join(root, "docs/guide")).map((name) => `docs/guide/${name}`),
];

/** Command lines of indented blocks and shell fences, without their comments. */
function commandLines(page: string): readonly string[] {
  return readFileSync(join(root, page), "utf8")
    .split("\n")
    .flatMap((line) => {
      const found = /^ {4}(?:\$ )?(?:npx )?(assay .*?)(?: +#.*)?$/.exec(line)?.[1];
      return found === undefined ? [] : [found];
    });
}

/** Arguments in a shell's sense, as far as the pages need it: quotes group. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, bare]) => single ?? double ?? bare!);
}

describe("command lines in the documents", () => {
  const lines = pages.flatMap((page) => commandLines(page).map((line) => [page, line] as const));

  it("are found", () => {
    expect(lines.length).toBeGreaterThan(20);
  });

  it.each(lines)("of %s: %s", (_page, line) => {
    expect(() => parseCommand(wordsOf(line).slice(1))).not.toThrow();
  });
});
