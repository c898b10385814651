import { allCases } from "../../../suites/all-cases.ts";
import { limitChecks } from "../../core/checks/limit-checks.ts";
import { suiteIds } from "../../core/result/requirement.ts";
import { exitCodes } from "../../core/result/verdict.ts";
import { builtInProfiles, loadProfile } from "../../load/profile/read-profile.ts";
import { allSwitches } from "../../reference/defects/all-switches.ts";
import { gateFigures } from "../../load/gates/gate-figures.ts";
import { readCatalogue, readReadings } from "../../schemas/read-catalogue.ts";

interface Entry {
  readonly id: string;
  readonly group: string;
  readonly text: string;
}

/** One line an entry, or all of it as JSON. */
export async function listCommand(what: string, { json }: { readonly json: boolean }): Promise<number> {
  const { entries, whole } = collect(what);
  process.stdout.write(json ? `${JSON.stringify(whole, null, 2)}\n` : formatEntries(entries));
  return exitCodes.met;
}

function collect(what: string): { readonly entries: readonly Entry[]; readonly whole: unknown } {
  switch (what) {
    case "cases": {
      const cases = allCases.map(({ id, suite, title, covers, needs, cost }) => ({ id, suite, title, covers, needs, cost }));
      return { entries: cases.map((one) => ({ id: one.id, group: one.suite, text: one.title })), whole: cases };
    }
    case "suites": {
      const suites = suiteIds.map((id) => {
        const cases = allCases.filter((one) => one.suite === id).length;
        return { id, cases, requirements: readCatalogue().filter((one) => one.suite === id).length };
      });
      return {
        entries: suites.map(({ id, cases, requirements }) => ({
          id,
          group: `${cases} cases`,
          text: `${requirements} requirements`,
        })),
        whole: suites,
      };
    }
    case "checks":
      return {
        entries: limitChecks.map(({ id, policy, level, title }) => ({ id, group: `${policy} ${level}`, text: title })),
        whole: limitChecks,
      };
    case "figures":
      return {
        entries: gateFigures.map(({ name, statistics, unit, meaning }) => ({
          id: statistics ? `${name}.p95` : name,
          group: unit,
          text: meaning,
        })),
        whole: gateFigures,
      };
    case "readings": {
      const readings = readReadings();
      return {
        entries: readings.map((one) => ({ id: one.id, group: "", text: `${one.question} Reading: ${one.reading}` })),
        whole: readings,
      };
    }
    case "profiles": {
      const profiles = builtInProfiles().map((id) => loadProfile(id).profile);
      return { entries: profiles.map((one) => ({ id: one.id, group: one.arrivals.kind, text: one.title })), whole: profiles };
    }
    case "variants":
    case "mutants": {
      const switches = allSwitches.filter((one) => `${one.kind}s` === what);
      return { entries: switches.map((one) => ({ id: one.id, group: one.area, text: one.title })), whole: switches };
    }
    default: {
      const catalogue = readCatalogue();
      return {
        entries: catalogue.map((one) => ({ id: one.id, group: `${one.suite} ${one.level}`, text: one.text })),
        whole: catalogue,
      };
    }
  }
}

function formatEntries(entries: readonly Entry[]): string {
  const [idWidth, groupWidth] = [(entry: Entry) => entry.id.length, (entry: Entry) => entry.group.length].map((length) =>
    Math.max(0, ...entries.map(length)),
  );
  return entries.map(({ id, group, text }) => `${id.padEnd(idWidth ?? 0)}  ${group.padEnd(groupWidth ?? 0)}  ${text}\n`).join("");
}
