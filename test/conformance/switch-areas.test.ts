import { expect, it } from "vitest";
import { allSwitches } from "../../src/reference/switches/all-switches.ts";
import { areasOfFile } from "./switch-areas.ts";

it("leaves no mutant to none of the files", () => {
  const areas: readonly string[] = Object.values(areasOfFile).flat();
  expect(allSwitches.filter(({ kind, area }) => kind === "mutant" && !areas.includes(area))).toEqual([]);
  expect(new Set(areas).size).toBe(areas.length);
});
