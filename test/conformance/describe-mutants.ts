import { describe, expect, it } from "vitest";
import { allSwitches } from "../../src/reference/defects/all-switches.ts";
import type { Mutant, SwitchArea } from "../../src/reference/defects/switch.ts";
import { clean, examineMutant } from "./matrix.ts";

/** The mutation matrix over some areas: each mutant turns the rows that it declares and accuses no other. */
export function describeMutants(areas: readonly SwitchArea[]): void {
  const mutants = allSwitches.filter((one): one is Mutant => one.kind === "mutant" && areas.includes(one.area));

  describe(`mutants of ${areas.join(", ")}`, () => {
    it("are there", () => {
      expect(mutants.length).toBeGreaterThan(areas.length);
    });

    it.each(mutants.map((mutant) => [mutant.id, mutant] as const))("%s is told, and nothing else is", async (_, mutant) => {
      expect(await examineMutant(mutant)).toEqual(clean);
    });
  });
}
