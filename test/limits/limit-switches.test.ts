import { expect, it } from "vitest";
import { allSwitches } from "../../src/reference/switches/all-switches.ts";
import { limitSwitches } from "./limit-switches.ts";

const { mutants, variants, needsFullExam, seeds, staysAdvice } = limitSwitches;

it("holds every mutant that is listed as an exception, and every one that needs the limits stage", () => {
  const ids = new Set(mutants.map(({ id }) => id));
  const listed = [needsFullExam, seeds, staysAdvice].flatMap((list) => Object.keys(list));
  expect(listed.filter((id) => !ids.has(id))).toEqual([]);
  expect(new Set(listed).size).toBe(listed.length);
  const elsewhere = allSwitches.filter((one) => one.kind === "mutant" && one.needs?.includes("stage:limits") && !ids.has(one.id));
  expect(elsewhere).toEqual([]);
  expect(mutants.length).toBeGreaterThanOrEqual(60);
  expect(variants.length).toBeGreaterThanOrEqual(20);
  expect(listed.length).toBeLessThan(mutants.length / 8);
});
