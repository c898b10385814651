import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { createProgram } from "../../src/cli/program.ts";
import { readPackage } from "../../src/schemas/read-package.ts";

const root = resolve(import.meta.dirname, "../..");

/** Title and first sentence of a page. */
function describePage(file: string): string {
  const text = readFileSync(join(root, file), "utf8");
  const title = /^# (.+)$/m.exec(text)?.[1] ?? file;
  const paragraph = text.split(/\n{2,}/).find((block) => /^[A-Z`a-z]/.test(block) && !block.startsWith("Generated from")) ?? "";
  const [first = ""] = paragraph.replaceAll(/\s+/g, " ").split(/(?<=[.:])\s/);
  return `- [${title}](${file}): ${first.trim()}`;
}

function pagesOf(folder: string): readonly string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => `${folder}/${name}`);
}

function writePage(): string {
  const commands = createProgram([], () => undefined).commands.map(
    (command) => `- \`assay ${command.name()}\`: ${command.description()}`,
  );
  const section = (title: string, lines: readonly string[]): string => `## ${title}\n\n${lines.join("\n")}\n`;
  return [
    "# assay\n",
    `> Load-testing and conformance harness for inference APIs, the npm package ${readPackage().name}. \`--reporter agent\` writes a failing run in at most 1,500 tokens; \`assay mcp\` serves the Model Context Protocol. Exit codes: 0 met, 1 findings, 2 usage, 3 incomplete or not valid, 4 fault of assay.\n`,
    section("Commands", commands),
    section("Guides", pagesOf("docs/guide").map(describePage)),
    section("Reference", ["README.md", ...pagesOf("docs")].map(describePage)),
    section("Optional", [...pagesOf("docs/measurements"), "CONTRIBUTING.md", "CHANGELOG.md"].map(describePage)),
  ].join("\n");
}

it("llms.txt is generated from the pages and the commands (npx vitest run test/cli/llms.test.ts -u)", async () => {
  await expect(writePage()).toMatchFileSnapshot(join(root, "llms.txt"));
});
