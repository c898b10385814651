import { describe, expect, it } from "vitest";
import { allSwitches } from "../../src/reference/switches/all-switches.ts";
import type { Mutant, SwitchArea } from "../../src/reference/switches/switch.ts";
import { askedOf, shareTitle } from "../make/runner/switch-share.ts";
import { sampleOf } from "../make/runner/sample.ts";
import { clean, examineKill, examineMutant, needsOtherStage } from "./matrix.ts";

/** Of each area: one in so many is asked in `npm test`. */
const oneIn = 12;

/** The mutation matrix over some areas: each mutant turns the rows that it declares and accuses no other. */
export function describeMutants(areas: readonly SwitchArea[]): void {
  const mutants = allSwitches.filter((one): one is Mutant => one.kind === "mutant" && areas.includes(one.area));
  const asked = askedOf("matrix", mutants, oneIn);

  describe(`mutants of ${areas.join(", ")} (${shareTitle})`, () => {
    // The kill table asks each that only an exam of limits finds, test/run/traffic/probe-mutants.test.ts those of a load. Here none of them has anything to be reported by: a sample shows that
    // nothing else is accused.
    const reported = asked.filter((one) => !needsOtherStage(one));
    it.each(reported.map((mutant) => [mutant.id, mutant] as const))("%s is reported", async (_, mutant) => {
      expect(await examineKill(mutant)).toEqual(clean);
    });

    it.each(sampleOf(asked.filter(needsOtherStage), 12).map((mutant) => [mutant.id, mutant] as const))(
      "%s, which only an exam of limits or a load can find, accuses no row",
      async (_, mutant) => {
        expect(await examineKill(mutant)).toEqual(clean);
      },
    );

    it.each(sampleOf(asked, 48).map((mutant) => [mutant.id, mutant] as const))(
      "%s accuses no other row in any suite",
      async (_, mutant) => {
        expect(await examineMutant(mutant)).toEqual(clean);
      },
    );
  });
}
