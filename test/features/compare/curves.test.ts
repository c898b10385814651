import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readOverlay, runCurves } from "../../../src/features/compare/curves/read-overlay.ts";
import { renderCurves } from "../../../src/features/compare/report/curves-card.ts";
import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import { UsageError } from "../../../src/command/usage-error.ts";
import { markupOf } from "../../../src/report/escape/safe-html.ts";
import { streamWords } from "../../make/load/load-target.ts";
import { runAgainst } from "../../make/load/run-against.ts";
import { buildSample } from "../../make/sample-result/sample-result.ts";
import { aiperfFile, vllmFile } from "./tools/sample-files.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-curves-"));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, value: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(value));
  return file;
}

/** A sweep with answers at each level: a machine that stood still for a whole level gets longer ones. */
async function runSweep(secondsPerLevel = 0.4): Promise<LoadProfileResult> {
  const arrivals = { kind: "concurrency-sweep", concurrencies: [1, 2], secondsPerLevel };
  const profile = await runAgainst((_, response) => streamWords(response, 4, 5, 5), { arrivals });
  const isWhole = runCurves("base", [profile])[0]?.points.length === 2;
  return isWhole || secondsPerLevel > 5 ? profile : runSweep(4 * secondsPerLevel);
}

describe("curves of compared runs", () => {
  it("are the sweeps of a run, a point for each number of requests in flight", async () => {
    const profile = await runSweep();
    const [curve, ...others] = runCurves("base", [profile]);
    expect(others).toEqual([]);
    expect(curve?.name).toBe(`base: ${profile.id}`);
    expect(curve?.points.map(({ label }) => label)).toEqual(["1", "2"]);
    for (const [index, { perUser, tpotMs, inAll }] of curve!.points.entries()) {
      expect(perUser).toBeCloseTo(1000 / tpotMs!, 9);
      expect(inAll).toBe(profile.steps[index]?.outputTokens);
    }
    const counted = { ...profile, steps: profile.steps.map((step) => ({ ...step, tokensEstimated: true })) };
    expect(runCurves("base", [counted])[0]?.name).toBe(`base: ${profile.id}, tokens counted by chunks`);
    const result = { ...buildSample().result, load: { ...buildSample().result.load!, profiles: [profile] } };
    const file = write("run.json", result);
    expect(readOverlay(file)).toEqual([{ ...curve, name: `run.json: ${profile.id}` }]);
    expect(() => readOverlay(`${file}#other`)).toThrow(UsageError);
  });

  it("take one point from a load test of another tool, where it states both figures", () => {
    const [curve] = readOverlay(write("aiperf.json", aiperfFile()));
    expect(curve).toEqual({
      name: "AIPerf: aiperf.json",
      points: [{ label: "AIPerf", perUser: 1000 / 21, inAll: 780, ttftMs: 120, tpotMs: 21 }],
    });
    // vLLM counts a token of its own for each chunk: its time per token is not of the same meaning.
    expect(() => readOverlay(write("vllm.json", vllmFile()))).toThrow("no point of a curve");
    expect(() => readOverlay(write("else.json", { anything: 1 }))).toThrow("no result that is known");
    expect(() => readOverlay(join(folder, "absent.json"))).toThrow("no result that is known");
  });

  it("name the level with most tokens, and hold every curve in the table, more than the picture", () => {
    const curve = (name: string, inAll: number): Parameters<typeof renderCurves>[0] => ({
      curves: [{ name, points: [{ label: "8", perUser: 40, inAll, ttftMs: null, tpotMs: 25 }] }],
    });
    const curves = Array.from({ length: 7 }, (_, place) => curve(`run <${place}>`, 100 + place).curves ?? []).flat();
    const page = markupOf(renderCurves({ curves }));
    expect(page).toContain("Most tokens: 106 /s in all, 40 /s for one user, at 8 of run &lt;6&gt;.");
    expect(page).toContain("The table holds 2 more.");
    expect(page.match(/run &lt;6&gt;/g)?.length).toBeGreaterThan(1);
    expect(markupOf(renderCurves({}))).toBe("");
  });
});
