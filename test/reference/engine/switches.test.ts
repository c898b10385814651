import { beforeAll, describe, expect, it } from "vitest";
import { limitMutants } from "../../../src/reference/switches/broken/limits.ts";
import { burstMutants } from "../../../src/reference/switches/broken/burst.ts";
import { spendMutants } from "../../../src/reference/switches/broken/spend.ts";
import { tokenMutants } from "../../../src/reference/switches/broken/tokens.ts";
import { usageMutants } from "../../../src/reference/switches/broken/usage.ts";
import { settingsMutants } from "../../../src/reference/switches/broken/settings.ts";
import { limitVariants } from "../../../src/reference/switches/lawful/limits.ts";
import { accountVariants } from "../../../src/reference/switches/lawful/accounts.ts";
import { lawfulEngineSeams } from "../../../src/reference/engine/engine-seams.ts";
import { sampleOf, sampleTitle } from "../../make/runner/sample.ts";
import { runSection, sectionNames, type SectionName, type Transcript } from "./switch-scenario.ts";

const variants = [limitVariants, accountVariants];
const mutants = [limitMutants, burstMutants, spendMutants, tokenMutants, usageMutants, settingsMutants];
/** Shown by connections only: an engine has none. */
const ofConnections: ReadonlySet<string> = new Set([
  "tokens/left-slots",
  "limits/overlapping-let-in",
  "tokens/shared-under-load",
  "burst/shared-under-load",
]);
const ids = [...variants, ...mutants].flat().flatMap(({ id }) => (ofConnections.has(id) ? [] : [id]));

/** The sections that must show the effect of an area; everywhere else the service must behave as before. */
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

/**
 * No area is alone with these: a change of settings that shows in the windows of requests, and requests sent together that are counted
 * together, so that each shows what remains after all of them.
 */
const acrossAreas: ReadonlySet<string> = new Set(["burst/change-empties-windows", "burst/check-then-increment"]);

const baseline = new Map<SectionName, Transcript>();

beforeAll(async () => {
  for (const name of sectionNames) baseline.set(name, await runSection(name, []));
});

async function changes(id: string, section: SectionName): Promise<boolean> {
  return JSON.stringify(await runSection(section, [id])) !== JSON.stringify(baseline.get(section));
}

describe("patched seams", () => {
  it.each(sectionNames)("%s: are lawful while no switch is on, whenever they are asked", async (name) => {
    expect(await runSection(name, [], { seams: lawfulEngineSeams })).toEqual(baseline.get(name));
  });
});

describe("every switch", () => {
  it.each(ids)("%s changes what clients see in its area", async (id) => {
    const shown = await Promise.all(home[id.split("/")[0]!]!.map((section) => changes(id, section)));
    expect(shown).toContain(true);
  });

  const within = ids.filter((id) => !acrossAreas.has(id));
  it.each(sampleOf(within, 4))(`%s leaves other areas alone (${sampleTitle})`, async (id) => {
    for (const section of untouched[id.split("/")[0]!]!) expect(await changes(id, section)).toBe(false);
  });
});
