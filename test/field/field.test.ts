import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { fieldBugs } from "../../bench/field/field-bugs.ts";
import { tryField } from "../../bench/field/try-field.ts";
import { createRandom, hashString } from "../../src/core/random.ts";
import { isWhole } from "../make/runner/sample.ts";
import { testDay } from "../make/runner/switch-share.ts";

const page = readFileSync("docs/measurements/field.md", "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("| ["));
const isFound = ({ reference }: { readonly reference: string }): boolean =>
  rows.some((row) => row.includes(`${reference}]`)) &&
  !rows.some((row) => row.includes(`${reference}]`) && row.includes("| missed ("));

/** Checks take half a minute of real time each: they belong to `npm run test:all`. */
const found = fieldBugs.filter((bug) => isFound(bug) && (isWhole || bug.stage === "limits"));
const random = createRandom(hashString(`field/${testDay}`));
const sample = isWhole ? found : [found[random.integer(0, found.length - 1)]!];

it("lists each bug once, with its report", () => {
  expect(new Set(fieldBugs.map(({ reference }) => reference)).size).toBe(fieldBugs.length);
  expect(fieldBugs.filter(({ reference }) => !page.includes(reference))).toEqual([]);
  expect(fieldBugs.length).toBeGreaterThanOrEqual(40);
});

it.each(sample.map((bug) => [bug.reference, bug] as const))("%s fails, and its mend does not", async (_, bug) => {
  expect((await tryField(bug.stage, bug.broken())).exitCode).toBe(1);
  expect(await tryField(bug.stage, bug.mended?.() ?? {})).toMatchObject({ exitCode: 0, says: [] });
});

it("finds the limit of requests beside one of four requests under way", async () => {
  expect(await tryField("limits", { places: 4 })).toMatchObject({ exitCode: 0, says: [] });
});

it("says why it misses what it misses", () => {
  const missed = fieldBugs.filter(({ missed: why }) => why !== undefined);
  expect(missed.filter(isFound)).toEqual([]);
  expect(rows.filter((row) => row.includes("not explained yet"))).toEqual([]);
});
