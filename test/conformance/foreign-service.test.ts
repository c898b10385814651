import { describe, expect, it } from "vitest";
import { foreignDefects } from "../../bench/detection/foreign/defects.ts";
import { suitesOf } from "../../bench/detection/foreign/suites-of.ts";
import { tryForeign } from "../../bench/detection/foreign/try-foreign.ts";
import { testRandom, sampleTitle } from "../make/runner/sample.ts";

const random = testRandom("foreign service");
const observable = foreignDefects.filter(({ hidden }) => hidden === undefined);
const sample = Array.from({ length: 4 }, () => observable[random.integer(0, observable.length - 1)]!);

describe("defects of the foreign service", () => {
  it("are many, each once, few of them hidden", () => {
    expect(new Set(foreignDefects.map(({ id }) => id)).size).toBe(foreignDefects.length);
    expect(observable.length).toBeGreaterThanOrEqual(150);
    expect(foreignDefects.length - observable.length).toBeLessThanOrEqual(8);
  });
});

// Real time: it is the one service here whose author was not that of the checks' own, and its waits are part of what it shows.
describe.concurrent(`the foreign service (${sampleTitle})`, () => {
  it("is not accused, packed or not, with its clock ahead", async () => {
    const trial = await tryForeign({ gzip: random.integer(0, 1) === 1 });
    expect(trial.failing).toEqual([]);
    expect(trial.requests).toBeLessThanOrEqual(1200);
  });

  it.each(sample.map((defect) => [defect.id, defect] as const))("fails for %s", async (id, defect) => {
    const { failing } = await tryForeign({ defects: [id] }, suitesOf(defect));
    expect(failing).not.toEqual([]);
  });
});
