import { describe, expect, it } from "vitest";
import type { CompareResult } from "../../src/core/result/compare-result.ts";
import { profileResult, resultOf, type Shape } from "../make/results/result-fixture.ts";
import { startTarget, streamWords, type LoadTarget } from "../make/load/load-target.ts";
import { keep } from "../make/keep.ts";
import { folderWith, runAssay } from "./run-assay.ts";

const key = "sk_test_0123456789";
const models = JSON.stringify({ object: "list", data: [{ id: "chat", object: "model", created: 1, owned_by: "test" }] });

async function startSide(): Promise<LoadTarget> {
  return keep(
    await startTarget(({ path }, response) => {
      if (path === "/v1/models") response.writeHead(200, { "content-type": "application/json" }).end(models);
      else streamWords(response, 3, 1, 1);
    }),
  );
}

const chatsOf = ({ seen }: LoadTarget): readonly string[] =>
  seen.flatMap(({ path, body }) => (path === "/v1/chat/completions" ? [JSON.stringify(body)] : [])).sort();

/** By a profile that is too short for any verdict: those are tested on saved runs, whatever the machine does meanwhile. */
function compare(base: string, next: string, flags: readonly string[] = []): ReturnType<typeof runAssay> {
  const profile = {
    id: "ab",
    title: "A and B",
    arrivals: { kind: "constant", ratePerSecond: 20 },
    durationSeconds: 0.5,
    timeoutSeconds: 10,
    workload: [{ endpoint: "chat", stream: true, promptTokens: 8, outputTokens: 3 }],
    gates: ["error_rate < 20%"],
  };
  const folder = folderWith({ "ab.yaml": profile });
  const env = { ASSAY_API_KEY: key, ASSAY_NEW_API_KEY: `${key}_new` };
  return runAssay(["compare", base, next, "--gate", "--json", ...flags], { env, folder });
}

describe("assay compare of two base URLs", () => {
  it("sends both the same in turns, by as many loops as are asked for, and exits 3 where that is too little to judge", async () => {
    const [base, next] = [await startSide(), await startSide()];
    const flags = ["--profile", "ab.yaml", "--rounds", "2", "--workers", "2"];
    const { exitCode, stdout, stderr } = await compare(base.baseUrl, next.baseUrl, flags);
    expect(stderr).toContain("ab: sent by 2 workers");
    const turns = stderr.split("\n").filter((line) => line.startsWith("round"));
    expect(turns.map((line) => line.endsWith(base.baseUrl))).toEqual([true, false, false, true]);
    expect(chatsOf(base)).toHaveLength(2 * 10);
    expect(chatsOf(next)).toEqual(chatsOf(base));
    const reported = JSON.parse(stdout) as CompareResult;
    expect(reported.method.design).toBe("interleaved");
    expect([reported.base.baseUrl, reported.next.baseUrl]).toEqual([base.baseUrl, next.baseUrl]);
    expect([reported.verdict, reported.exitCode, exitCode]).toEqual(["not comparable", 3, 3]);
    expect(reported.reason).toMatch(/too few samples to compare the load|not valid/);
  });

  it("exits 3 for a target that is not there, 2 for a profile that may not be run, and says which", async () => {
    const [base, gone] = [await startSide(), await startSide()];
    await gone.close();
    const away = await compare(base.baseUrl, gone.baseUrl);
    expect([away.exitCode, away.stdout]).toEqual([3, ""]);
    expect(away.stderr).toContain(gone.baseUrl);
    const burst = await compare(base.baseUrl, base.baseUrl, ["--profile", "burst"]);
    expect([burst.exitCode, burst.stdout]).toEqual([2, ""]);
    expect(burst.stderr).toContain("permissions.exhaustLimits is not granted");
    expect((await compare(base.baseUrl, base.baseUrl, ["--rounds", "0"])).exitCode).toBe(2);
  });
});

describe("assay compare of two saved runs", () => {
  const saved = (shape: Partial<Shape>): string => {
    return folderWith({ "result.json": resultOf([profileResult({ seed: 1, seconds: 20, ...shape })]) });
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
