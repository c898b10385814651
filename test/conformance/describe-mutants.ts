import { describe, expect, it } from "vitest";
import { allSwitches } from "../../src/reference/switches/all-switches.ts";
import type { Mutant, SwitchArea } from "../../src/reference/switch.ts";
import { clean, examineMutant } from "./matrix.ts";

/**
 * The mutation matrix over some areas: each mutant turns the rows that it declares and accuses no other. `gaps` are those
 * that do not, with the reason; the list is exact, so an entry that is no longer needed fails as well.
 */
export function describeMutants(areas: readonly SwitchArea[], gaps: Readonly<Record<string, string>> = {}): void {
  const mutants = allSwitches.filter((one): one is Mutant => one.kind === "mutant" && areas.includes(one.area));

  describe(`mutants of ${areas.join(", ")}`, () => {
    it("are there", () => {
      expect(mutants.length).toBeGreaterThan(areas.length);
      expect(Object.keys(gaps).filter((id) => !mutants.some((mutant) => mutant.id === id))).toEqual([]);
    });

    it.each(mutants.filter(({ id }) => gaps[id] === undefined).map((mutant) => [mutant.id, mutant] as const))(
      "%s is told, and nothing else is",
      async (_, mutant) => {
        expect(await examineMutant(mutant)).toEqual(clean);
      },
    );

    // An empty list would be an error of vitest, so the healthy case stands for it.
    const open = Object.keys(gaps);
    it("have no other gaps than the listed ones", async () => {
      for (const id of open) {
        const mutant = mutants.find((one) => one.id === id);
        if (mutant !== undefined) expect([id, await examineMutant(mutant)]).not.toEqual([id, clean]);
      }
      expect(open.length).toBeLessThan(mutants.length / 10);
    }, 120_000);
  });
}
