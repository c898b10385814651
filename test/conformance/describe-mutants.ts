import { describe, expect, it } from "vitest";
import { allSwitches } from "../../src/reference/defects/all-switches.ts";
import type { Mutant, SwitchArea } from "../../src/reference/defects/switch.ts";
import { sampleOf, sampleTitle } from "../make/sample.ts";
import { clean, examineKill, examineMutant } from "./matrix.ts";

/** The mutation matrix over some areas: each mutant turns the rows that it declares and accuses no other. */
export function describeMutants(areas: readonly SwitchArea[]): void {
  const mutants = allSwitches.filter((one): one is Mutant => one.kind === "mutant" && areas.includes(one.area));

  describe(`mutants of ${areas.join(", ")}`, () => {
    it("are there", () => {
      expect(mutants.length).toBeGreaterThan(areas.length);
    });

    it.each(mutants.map((mutant) => [mutant.id, mutant] as const))("%s is reported", async (_, mutant) => {
      expect(await examineKill(mutant)).toEqual(clean);
    });

    it.each(sampleOf(mutants, 48).map((mutant) => [mutant.id, mutant] as const))(
      `%s accuses no other row in any suite (${sampleTitle})`,
      async (_, mutant) => {
        expect(await examineMutant(mutant)).toEqual(clean);
      },
    );
  });
}
