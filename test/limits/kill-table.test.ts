import pLimit from "p-limit";
import { beforeAll, describe, expect, it } from "vitest";
import type { LimitsJudgement } from "../../src/limits/judge-limits.ts";
import type { Mutant, Switch, Variant } from "../../src/reference/switch.ts";
import { allSwitches } from "../../src/reference/switches/all-switches.ts";
import { examineSwitch, limitAreas, type LimitArea } from "./examine-switch.ts";

const areaOf = (one: Switch): LimitArea | null => limitAreas.find((area) => area === one.area) ?? null;
const variants = allSwitches.filter((one): one is Variant => one.kind === "variant" && areaOf(one) !== null);
const mutants = allSwitches.filter(
  (one): one is Mutant => one.kind === "mutant" && areaOf(one) !== null && limitRows(one).length > 0,
);

/** What the limits stage is to say of a mutant: checks, and where it declares none, rows of the catalogue. */
function limitRows({ violates, needs }: Mutant): readonly string[] {
  const checks = violates.filter((id) => id.startsWith("limits:"));
  return checks.length > 0 ? checks : needs?.includes("stage:limits") ? violates : [];
}

/** Mutants that the short exam does not find, each with the reason; nothing is asserted of them but that they were examined. */
const missed: Readonly<Record<string, string>> = {
  "limits/log-check-then-add":
    "a sliding counter explains it: what the last free slots let in twice is what such a counter forgets meanwhile",
  "limits/ttl-refreshed": "shows only under steady traffic for longer than a window, which the full exam sends",
  "limits/daily-window-key": "shows a day later",
};

/** Found or not by the instant at which the exam happens to begin: held only to saying nothing that they do not declare. */
const uncertain: Readonly<Record<string, string>> = {
  "limits/leaking-slots":
    "what it carries into the next window, a sliding counter carries as well, unless a reading is early enough",
  "limits/retry-after-floor": "the promise falls short only by the fraction of the second in which the refusal came",
};

/** Exams after which a mutant that was never told counts as missed. */
const examsAtMost = 4;
const patienceMs = 240_000;
const judged = new Map<string, Promise<LimitsJudgement>>();

beforeAll(() => {
  const limit = pLimit(3);
  for (const one of [...mutants, ...variants])
    judged.set(
      one.id,
      limit(() => examineSwitch(areaOf(one)!, one)),
    );
});

/** Checks with a finding, and rows that fail or are advised. */
function toldBy({ findings, occurrences }: LimitsJudgement): ReadonlySet<string> {
  const rows = occurrences.filter(({ outcome }) => outcome === "fail" || outcome === "advisory");
  return new Set([...findings.map(({ check }) => `limits:${check}`), ...rows.map(({ requirement }) => requirement)]);
}

describe("limits exams over sockets", () => {
  it("know every mutant that is listed as an exception", () => {
    const ids = new Set(mutants.map(({ id }) => id));
    expect([...Object.keys(missed), ...Object.keys(uncertain)].filter((id) => !ids.has(id))).toEqual([]);
    expect(mutants.length).toBeGreaterThanOrEqual(60);
    expect(variants.length).toBeGreaterThanOrEqual(20);
    expect(Object.keys(missed).length).toBeLessThan(mutants.length / 15);
  });

  it.each(mutants.map((mutant) => [mutant.id, mutant] as const))(
    "find %s by what it declares",
    async (id, mutant) => {
      const first = await judged.get(id)!;
      const said = toldBy(first);
      if (missed[id] !== undefined) {
        expect(first.result.policies).not.toEqual([]);
        return;
      }
      if (uncertain[id] !== undefined) {
        const declared = new Set([...mutant.violates, ...(mutant.mayAlsoFail ?? [])]);
        expect([...said].filter((row) => row.startsWith("limits:") && !declared.has(row))).toEqual([]);
        return;
      }
      const isTold = (told: ReadonlySet<string>): boolean => limitRows(mutant).some((row) => told.has(row));
      // The instant at which an exam begins within a window decides how much it can prove: a further one begins elsewhere.
      let found = isTold(said);
      for (let further = 0; !found && further < examsAtMost - 1; further += 1) {
        found = isTold(toldBy(await examineSwitch(areaOf(mutant)!, mutant)));
      }
      expect([id, found]).toEqual([id, true]);
    },
    patienceMs,
  );

  it.each(variants.map(({ id }) => id))(
    "do not accuse %s",
    async (id) => {
      const { findings, result } = await judged.get(id)!;
      expect(findings.filter(({ verdict, check }) => verdict === "fail" || check === "family")).toEqual([]);
      expect(result.policies.filter(({ verdict }) => verdict === "pass" || verdict === "advisory")).not.toEqual([]);
    },
    patienceMs,
  );
});
