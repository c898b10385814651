import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { allRelations } from "../../src/conformance/judges/relations/all-relations.ts";
import { readCatalogue } from "../../src/schemas/read-catalogue.ts";
import { markdownTable } from "./markdown-table.ts";

const introduction = `# Relations between answers

Generated from the tables in \`src/conformance/judges/relations/\` by \`test/docs/relations-page.test.ts\` (\`npx vitest run test/docs -u\` rewrites it).

The specification states many things twice: in two answers, in an answer and in a report, in two forms of one answer. Each row says which
answers are compared, by what is equal in them, in which respect they may differ, and which members have to agree. Relations are
judged over the whole record of a run, whichever case asked. A relation of which the record shows no two answers says nothing.
`;

function renderPage(): string {
  const rows = allRelations.map(({ id, requirement, held, varies, agrees }) => [`\`${id}\``, requirement, held, varies, agrees]);
  return `${introduction}\n${markdownTable(["relation", "requirement", "equal", "may differ", "agrees"], rows)}\n`;
}

describe("table of relations", () => {
  it("is the page docs/relations.md", async () => {
    await expect(renderPage()).toMatchFileSnapshot(resolve(import.meta.dirname, "../../docs/relations.md"));
  });

  it("names each relation once, under a requirement that binds", () => {
    const levels = new Map(readCatalogue().map(({ id, level }) => [id, level]));
    expect(new Set(allRelations.map(({ id }) => id)).size).toBe(allRelations.length);
    expect(allRelations.filter(({ requirement }) => levels.get(requirement) !== "implied")).toEqual([]);
  });
});
