import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

it("the page about security names a test that exists for each of its promises", () => {
  const page = readFileSync(resolve(root, "docs/security.md"), "utf8");
  const table = page.split("## Promises and their tests\n")[1]?.split("\n## ")[0] ?? "";
  const rows = table.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| promise"));
  expect(rows.length).toBeGreaterThan(15);
  for (const row of rows) {
    const files = [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file!);
    expect([row, files.length > 0]).toEqual([row, true]);
    for (const file of files) expect([file, existsSync(resolve(root, file))]).toEqual([file, true]);
  }
});
