import { expect, it } from "vitest";
import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import type { Result } from "../../../src/core/result/result.ts";
import { compareResults } from "../../../src/features/compare/runs/compare-results.ts";
import { buildChecklist } from "../../../src/report/checklist.ts";
import { metricFamilies } from "../../../src/report/metrics/metric-families.ts";
import { renderNdjson } from "../../../src/report/reporters/json.ts";
import { expectScopeOf, findLostScope } from "../../../src/run/scope/expected-scope.ts";
import { findLoadFindings, noLoad } from "../../../src/run/verdict/find-load-findings.ts";
import { findMissedGates } from "../../../src/run/verdict/find-missed-gates.ts";
import { profileResult, resultOf } from "../../make/results/result-fixture.ts";

/** The gates of several runs stand with the last one. */
function repeated(runs: number): Result {
  const whole = profileResult({ seed: 1 });
  const gates = whole.gates.map((gate) => ({ ...gate, verdict: "fail" as const }));
  const cacheAudit = { verdict: "cached", signs: ["x"] } as unknown as NonNullable<LoadProfileResult["cacheAudit"]>;
  const profiles = Array.from({ length: runs }, (_, place) => {
    const repeat = { of: whole.id, number: place + 1, runs };
    return { ...whole, id: `${whole.id}-run${place + 1}`, repeat, cacheAudit, gates: place + 1 === runs ? gates : [] };
  });
  return resultOf(profiles);
}

it("the gates and the cache of a repeated profile have the same names however often it was sent", () => {
  const idsOf = ({ load, passive }: Result): readonly string[] =>
    [...findMissedGates(load), ...findLoadFindings({ ...noLoad, load }, passive, [])].map(({ id }) => id);
  expect(idsOf(repeated(3)).length).toBe((repeated(3).load?.profiles.at(-1)?.gates.length ?? 0) + 1);
  expect(idsOf(repeated(3))).toEqual(idsOf(repeated(5)));
  expect(findLostScope(expectScopeOf(repeated(3), "good.json"), repeated(5))).toEqual([]);
  const compared = compareResults(repeated(3), repeated(5), { resamples: 100 });
  expect(compared.gates).toMatchObject({ fixed: [], broken: [], changed: [] });
  expect(compared.gates.unchanged).toBeGreaterThan(0);
});

it("machine formats name a repeated profile as its user does, and number its runs", () => {
  const result = repeated(3);
  const { id } = profileResult({ seed: 1 });
  const items = buildChecklist(result).map(({ name }) => name);
  expect(new Set(items).size).toBe(items.length);
  expect(items.filter((name) => name.endsWith(".valid") && name.startsWith("load."))).toEqual(
    [1, 2, 3].map((number) => `load.${id}.${number}.valid`),
  );
  const lines = renderNdjson(result, [])
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  const gates = lines.filter(({ type }) => type === "gate");
  expect(gates.length).toBeGreaterThan(0);
  expect(gates.every(({ profile, repetition }) => profile === id && repetition === 3)).toBe(true);
  const labelled = metricFamilies(result).flatMap(({ samples }) => samples.filter(([labels]) => "profile" in labels));
  expect(new Set(labelled.map(([{ profile }]) => profile))).toEqual(new Set([id]));
  expect(new Set(labelled.map(([{ repetition }]) => repetition))).toEqual(new Set([1, 2, 3]));
});
