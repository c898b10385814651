import { findLimitCheck } from "../../../src/core/checks/limit-checks.ts";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Switch } from "../../../src/reference/defects/switch.ts";
import { burstSwitches } from "../../../src/reference/defects/burst.ts";
import { limitSwitches } from "../../../src/reference/defects/limits.ts";
import { settingsSwitches } from "../../../src/reference/defects/settings.ts";
import { spendSwitches } from "../../../src/reference/defects/spend.ts";
import { tokenSwitches } from "../../../src/reference/defects/tokens.ts";
import { usageSwitches } from "../../../src/reference/defects/usage.ts";
import { lawfulEngineSeams } from "../../../src/reference/engine/engine-seams.ts";
import { runSection, sectionNames, type SectionName, type Transcript } from "./switch-scenario.ts";

const switches: readonly Switch[] = [
  ...limitSwitches,
  ...burstSwitches,
  ...spendSwitches,
  ...tokenSwitches,
  ...usageSwitches,
  ...settingsSwitches,
];
const ids = new Set(switches.map(({ id }) => id));

/** Where the effect of an area must show; everywhere else the service must behave as before. */
const home: Readonly<Record<string, readonly SectionName[]>> = {
  limits: ["requests"],
  burst: ["burst", "queue"],
  spend: ["spend"],
  tokens: ["tokens"],
  usage: ["usage"],
  settings: ["settings"],
};

/** Areas whose switches leave these sections alone. */
const untouched: Readonly<Record<string, readonly SectionName[]>> = {
  limits: ["usage"],
  burst: ["requests", "tokens", "spend", "usage"],
  spend: ["requests", "tokens", "burst", "queue", "usage"],
  tokens: ["requests", "burst", "queue", "usage"],
  usage: ["requests", "tokens", "burst", "queue", "spend", "settings"],
  settings: ["requests", "tokens", "usage"],
};

const baseline = new Map<SectionName, Transcript>();

beforeAll(async () => {
  for (const name of sectionNames) baseline.set(name, await runSection(name, []));
});

async function changes(id: string, section: SectionName): Promise<boolean> {
  return JSON.stringify(await runSection(section, [id])) !== JSON.stringify(baseline.get(section));
}

describe("catalogue", () => {
  it("has unique ids that name their area, and enough of both kinds", () => {
    expect(ids.size).toBe(switches.length);
    for (const { id, area } of switches) expect(id.startsWith(`${area}/`)).toBe(true);
    expect(switches.filter(({ kind }) => kind === "mutant").length).toBeGreaterThanOrEqual(90);
    expect(switches.filter(({ kind }) => kind === "variant").length).toBeGreaterThanOrEqual(25);
  });

  it("says what every mutant violates and why every variant is lawful", () => {
    for (const each of switches) {
      if (each.kind === "mutant") expect(each.violates.length).toBeGreaterThan(0);
      else expect(each.lawfulBecause.length).toBeGreaterThan(10);
    }
  });

  it("names only requirements of the catalogue and checks of limits", () => {
    const file = resolve(import.meta.dirname, "../../../schemas/requirements.json");
    const catalogue = JSON.parse(readFileSync(file, "utf8")) as { readonly requirements: readonly { readonly id: string }[] };
    const known = new Set(catalogue.requirements.map(({ id }) => id));
    const named = switches.flatMap((each) =>
      each.kind === "mutant" ? [...each.violates, ...(each.mayAlsoFail ?? [])] : (each.changes ?? []),
    );
    expect(known.size).toBeGreaterThan(400);
    expect(named.filter((id) => !known.has(id) && findLimitCheck(id) === undefined)).toEqual([]);
  });

  it("excludes only what exists, both ways", () => {
    const excludes = new Map(switches.map((each) => [each.id, each.kind === "variant" ? (each.excludes ?? []) : []]));
    for (const others of excludes.values()) {
      for (const other of others) expect(ids.has(other)).toBe(true);
    }
  });
});

describe("patched seams", () => {
  it.each(sectionNames)("%s: are lawful while no switch is on", async (name) => {
    expect(await runSection(name, [], { seams: lawfulEngineSeams })).toEqual(baseline.get(name));
  });
});

describe("every switch", () => {
  it.each([...ids])("%s changes what clients see in its area", async (id) => {
    const shown = await Promise.all(home[id.split("/")[0]!]!.map((section) => changes(id, section)));
    expect(shown).toContain(true);
  });

  it.each([...ids])("%s leaves other areas alone", async (id) => {
    for (const section of untouched[id.split("/")[0]!]!) expect(await changes(id, section)).toBe(false);
  });
});

describe("scenario", () => {
  it("is the same when repeated", async () => {
    for (const name of sectionNames) expect(await runSection(name, [])).toEqual(baseline.get(name));
  });
});
