import { describe, expect, it } from "vitest";
import { allSwitches } from "../../src/reference/switches/all-switches.ts";
import type { Mutant, SwitchArea } from "../../src/reference/switches/switch.ts";
import { sampleOf, sampleTitle } from "../make/runner/sample.ts";
import { clean, examineKill, examineMutant } from "./matrix.ts";

/** The mutation matrix over some areas: each mutant turns the rows that it declares and accuses no other. */
export function describeMutants(areas: readonly SwitchArea[]): void {
  const mutants = allSwitches.filter((one): one is Mutant => one.kind === "mutant" && areas.includes(one.area));
  // The kill table asks every one of them. Here none has anything to be reported by: a sample shows that nothing else is accused.
  const needsLimits = ({ needs }: Mutant): boolean => needs?.includes("stage:limits") === true;
  const ofLimits = sampleOf(mutants.filter(needsLimits), 12);

  describe(`mutants of ${areas.join(", ")}`, () => {
    it("are there", () => {
      expect(mutants.length).toBeGreaterThan(areas.length);
    });

    const reported = mutants.filter((one) => !needsLimits(one));
    it.each(reported.map((mutant) => [mutant.id, mutant] as const))("%s is reported", async (_, mutant) => {
      expect(await examineKill(mutant)).toEqual(clean);
    });

    it.each(ofLimits.map((mutant) => [mutant.id, mutant] as const))(
      `%s, which only an exam of limits can find, accuses no row (${sampleTitle})`,
      async (_, mutant) => {
        expect(await examineKill(mutant)).toEqual(clean);
      },
    );

    it.each(sampleOf(mutants, 48).map((mutant) => [mutant.id, mutant] as const))(
      `%s accuses no other row in any suite (${sampleTitle})`,
      async (_, mutant) => {
        expect(await examineMutant(mutant)).toEqual(clean);
      },
    );
  });
}
