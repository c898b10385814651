import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { drawLongFiles, leftOut, longFiles } from "./long-files.ts";

const all = Object.values(longFiles).flat();

it("names files that exist, each once", () => {
  expect(all.filter((name) => !existsSync(resolve(import.meta.dirname, `../../${name}.test.ts`)))).toEqual([]);
  expect(new Set(all).size).toBe(all.length);
});

it("leaves to the rest what a sample does not ask, and asks of every area", () => {
  const drawn = drawLongFiles("2026-03-01");
  const left = leftOut("2026-03-01", ["run", "--maxWorkers", "2"]);
  expect(
    [...drawn]
      .map((name) => `test/${name}.test.ts`)
      .concat(left)
      .toSorted(),
  ).toEqual(all.map((name) => `test/${name}.test.ts`).toSorted());
  expect(left.length).toBeGreaterThan(3 * drawn.size);
  for (const names of Object.values(longFiles)) expect(names.filter((name) => drawn.has(name))).not.toEqual([]);
  expect([...drawLongFiles("2026-03-02")]).not.toEqual([...drawn]);
});

it("leaves nothing out where files or tests are named", () => {
  for (const named of [["test/cli"], ["-t", "keys reach no output"]])
    expect(leftOut("2026-03-01", ["run", ...named])).toEqual([]);
});

it("draws every one of them within some weeks", () => {
  const met = new Set(Array.from({ length: 60 }, (_, day) => [...drawLongFiles(`day ${day}`)]).flat());
  expect(all.filter((name) => !met.has(name))).toEqual([]);
});
