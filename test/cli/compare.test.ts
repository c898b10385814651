import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CompareResult } from "../../src/core/result/compare-result.ts";
import { latencyPresets } from "../../src/reference/engine/latency/latency-preset.ts";
import { type ReferenceService, startReferenceService } from "../../src/reference/start-reference-service.ts";
import { profileResult, resultOf, type Shape } from "../load/result-fixture.ts";
import { emptyFolder, runAssay, spawnAssay, type Ended } from "./run-assay.ts";
import { keep } from "../make/keep.ts";

/** Answers after 250 ms and what is added; no jitter and no queue, so that nothing but that differs. */
async function startSide(addedMs: number): Promise<ReferenceService> {
  const latency = { ...latencyPresets.instant, overheadMs: 250 + addedMs, interTokenMs: 20 };
  return keep(await startReferenceService({ latency }));
}

interface Compared extends Ended {
  readonly reported: CompareResult;
}

async function compare(base: ReferenceService, next: ReferenceService, flags: readonly string[] = []): Promise<Compared> {
  const folder = emptyFolder();
  const profile = {
    id: "ab",
    title: "A and B",
    arrivals: { kind: "constant", ratePerSecond: 20 },
    durationSeconds: 4,
    timeoutSeconds: 10,
    workload: [{ endpoint: "chat", stream: true, promptTokens: 8, outputTokens: 3 }],
    retry: { max: 0, retryAfter: "ignore" },
    gates: ["error_rate < 20%"],
  };
  writeFileSync(join(folder, "ab.yaml"), JSON.stringify(profile));
  writeFileSync(join(folder, "ab-short.yaml"), JSON.stringify({ ...profile, durationSeconds: 2 }));
  const env = {
    ASSAY_API_KEY: base.manifest.keys["load"]?.secret ?? "",
    ASSAY_NEW_API_KEY: next.manifest.keys["load"]?.secret ?? "",
  };
  const args = ["compare", base.url, next.url, "--gate", "--json", ...flags];
  const ended: Ended = await spawnAssay(args, { env, folder });
  const reported = ended.stdout === "" ? null : (JSON.parse(ended.stdout) as CompareResult);
  return { ...ended, reported: reported! };
}

describe("assay compare of two base URLs", () => {
  it("measures both in turns, by as many loops as are asked for, and exits 1 for a slower one", async () => {
    const [base, next] = [await startSide(0), await startSide(120)];
    const { exitCode, reported, stderr } = await compare(base, next, ["--profile", "ab.yaml", "--rounds", "3", "--workers", "2"]);
    expect(stderr).toContain("ab: sent by 2 workers");
    expect(reported.method.design).toBe("interleaved");
    const turns = stderr.split("\n").filter((line) => line.startsWith("round"));
    expect(turns.slice(0, 6).map((line) => line.endsWith(base.url))).toEqual([true, false, false, true, true, false]);
    // A busy machine may measure too little: then a reason or an interval says so. The verdicts themselves are tested on saved runs.
    const ttft = reported.metrics.find(({ metric, statistic }) => metric === "ttft" && statistic === "p50");
    const isSlower = ttft?.verdict === "worse";
    const isRefused = reported.verdict === "not comparable" && /not valid|too few samples/.test(reported.reason);
    // 120 ms later; less than that only where the interval leaves room for it.
    const isWithin = ttft !== undefined && ttft.difference.low < 150 && ttft.difference.high > 90;
    expect(isSlower || isRefused || isWithin).toBe(true);
    expect(reported.verdict).not.toBe("better");
    expect(exitCode).toBe({ worse: 1, "not comparable": 3 }[reported.verdict as string] ?? 0);
  }, 200_000);

  it("exits 3 and says why where there is too little to judge", async () => {
    const [base, next] = [await startSide(0), await startSide(120)];
    const { exitCode, reported } = await compare(base, next, ["--rounds", "1", "--profile", "ab-short.yaml"]);
    expect([reported.verdict, exitCode]).toEqual(["not comparable", 3]);
    expect(reported.reason).toMatch(/too few samples to compare the load|not valid/);
  });

  it("exits 3 for a target that is not there, 2 for a profile that may not be run, and says which", async () => {
    const [base, gone] = [await startSide(0), await startSide(0)];
    await gone.close();
    const away = await compare(base, gone);
    expect([away.exitCode, away.stdout]).toEqual([3, ""]);
    expect(away.stderr).toContain(gone.url);
    const burst = await compare(base, base, ["--profile", "burst"]);
    expect([burst.exitCode, burst.stdout]).toEqual([2, ""]);
    expect(burst.stderr).toContain("permissions.exhaustLimits is not granted");
    expect((await compare(base, base, ["--rounds", "0"])).exitCode).toBe(2);
  });
});

describe("assay compare of two saved runs", () => {
  const saved = (shape: Partial<Shape>): string => {
    const folder = emptyFolder();
    writeFileSync(join(folder, "result.json"), JSON.stringify(resultOf([profileResult({ seed: 1, seconds: 20, ...shape })])));
    return folder;
  };

  it.each([
    ["worse", { factor: 1.5 }, ["--gate"], 1],
    ["worse", { factor: 1.5 }, [], 0],
    ["better", { factor: 0.6 }, ["--gate"], 0],
    ["no detectable change", {}, ["--gate"], 0],
  ] as const)("%s after %j with %j: exit code %i", async (verdict, shape, flags, wanted) => {
    const { exitCode, stdout } = await runAssay(["compare", saved({}), saved({ seed: 2, ...shape }), ...flags]);
    expect(stdout.toLowerCase()).toContain(verdict);
    if (verdict === "worse" && wanted === 0) expect(stdout).toContain("(exit 0; with --gate it is 1)");
    expect(exitCode).toBe(wanted);
  });

  it("too short to judge: exit code 3, gate or not", async () => {
    const [base, next] = [saved({ seconds: 3 }), saved({ seed: 2, seconds: 3, factor: 1.2 })];
    for (const flags of [[], ["--gate"]]) {
      const { exitCode, stdout } = await runAssay(["compare", base, next, ...flags]);
      expect(stdout).toContain("too few samples to compare the load");
      expect(stdout).toContain("not compared  p all: the measured window was too short to be cut into blocks");
      expect(exitCode).toBe(3);
    }
  });
});
