import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { firstFiles } from "./start-order.ts";

it("names files that exist, each once", () => {
  expect(firstFiles.filter((name) => !existsSync(resolve(import.meta.dirname, `../../${name}.test.ts`)))).toEqual([]);
  expect(new Set(firstFiles).size).toBe(firstFiles.length);
});
