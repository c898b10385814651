import { expect, it } from "vitest";
import { buildChecklist } from "../../src/report/checklist.ts";
import { findMissedGates } from "../../src/run/verdict/find-missed-gates.ts";
import { makeLoadResult, makeProfile } from "../make/results/make-load-result.ts";
import { resultOf } from "../make/results/result-fixture.ts";

it("gives each gate the finding of its own profile and bound", () => {
  const template = makeLoadResult(makeProfile(20, 20, ["ttft.p95 < 800ms", "ttft.p95 < 900ms"]), []);
  const profiles = ["a", "b"].map((id) => ({
    ...template,
    id,
    gates: template.gates.map((gate, place) => ({
      ...gate,
      verdict: id === "b" && place === 0 ? ("fail" as const) : ("pass" as const),
    })),
  }));
  const load = { profiles, calibration: null };
  const findings = findMissedGates(load);
  const items = buildChecklist(resultOf(profiles, { load, findings })).filter(({ suite }) => suite.startsWith("load."));
  expect(items.map(({ name, findings: own }) => [name, own.length])).toEqual([
    ["a.ttft.p95[<800ms]", 0],
    ["a.ttft.p95[<900ms]", 0],
    ["b.ttft.p95[<800ms]", 1],
    ["b.ttft.p95[<900ms]", 0],
  ]);
});
