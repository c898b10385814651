import { allCases } from "../../../suites/all-cases.ts";
import { limitChecks } from "../../core/result/checks/limit-checks.ts";
import { suiteIds } from "../../core/result/requirement.ts";
import { exitCodes } from "../../core/result/verdict.ts";
import { builtInProfiles, loadProfile } from "../../load/plan/read-profile.ts";
import { allSwitches } from "../../reference/switches/all-switches.ts";
import type { Switch } from "../../reference/switches/switch.ts";
import { gateFigures } from "../../load/gates/gate-figures.ts";
import { readCatalogue, readReadings } from "../../schemas/read-catalogue.ts";
import { output } from "../../report/terminal/output.ts";

interface Entry {
  readonly id: string;
  readonly group: string;
  readonly text: string;
}

/** A list for people, and the same for programs. */
interface Listing {
  readonly entries: readonly Entry[];
  readonly whole: unknown;
}

/** One line an entry, or all of it as JSON. */
export function listCommand(what: string, { json }: { readonly json: boolean }): number {
  const { entries, whole } = (lists[what] ?? listRequirements)();
  if (json) output.printJson(whole);
  else output.print(formatEntries(entries));
  return exitCodes.met;
}

function listing<Item>(whole: readonly Item[], entryOf: (item: Item) => Entry): Listing {
  return { entries: whole.map(entryOf), whole };
}

function listRequirements(): Listing {
  return listing(readCatalogue(), ({ id, suite, level, text }) => ({ id, group: `${suite} ${level}`, text }));
}

function listSwitches(kind: Switch["kind"]): Listing {
  const switches = allSwitches.filter((one) => one.kind === kind);
  return listing(switches, ({ id, area, title }) => ({ id, group: area, text: title }));
}

const lists: Readonly<Record<string, () => Listing>> = {
  cases: () => {
    const cases = allCases.map(({ id, suite, title, covers, needs, cost }) => ({ id, suite, title, covers, needs, cost }));
    return listing(cases, ({ id, suite, title }) => ({ id, group: suite, text: title }));
  },
  suites: () => {
    const suites = suiteIds.map((id) => ({
      id,
      cases: allCases.filter(({ suite }) => suite === id).length,
      requirements: readCatalogue().filter(({ suite }) => suite === id).length,
    }));
    return listing(suites, ({ id, cases, requirements }) => ({
      id,
      group: `${cases} cases`,
      text: `${requirements} requirements`,
    }));
  },
  checks: () => listing(limitChecks, ({ id, policy, level, title }) => ({ id, group: `${policy} ${level}`, text: title })),
  figures: () =>
    listing(gateFigures, ({ name, statistics, unit, meaning }) => ({
      id: statistics ? `${name}.p95` : name,
      group: unit,
      text: meaning,
    })),
  readings: () =>
    listing(readReadings(), ({ id, question, reading }) => ({ id, group: "", text: `${question} Reading: ${reading}` })),
  profiles: () => {
    const profiles = builtInProfiles().map((id) => loadProfile(id).profile);
    return listing(profiles, ({ id, arrivals, title }) => ({ id, group: arrivals.kind, text: title }));
  },
  variants: () => listSwitches("variant"),
  mutants: () => listSwitches("mutant"),
  requirements: listRequirements,
};

function formatEntries(entries: readonly Entry[]): string {
  const [idWidth, groupWidth] = [(entry: Entry) => entry.id.length, (entry: Entry) => entry.group.length].map((length) =>
    Math.max(0, ...entries.map(length)),
  );
  return entries.map(({ id, group, text }) => `${id.padEnd(idWidth ?? 0)}  ${group.padEnd(groupWidth ?? 0)}  ${text}\n`).join("");
}
