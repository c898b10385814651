import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadProfile, readProfile } from "../../src/load/plan/read-profile.ts";
import { defaultProbe } from "../../src/load/profile/probe-policy.ts";
import type { Result } from "../../src/core/result/result.ts";
import { keep } from "../make/keep.ts";
import { startReferenceService } from "../../src/reference/start-reference-service.ts";
import { emptyFolder, folderWith, runAssay, runFolder } from "./run-assay.ts";

describe("a load that flags describe", () => {
  it("needs a URL and a key, and is the same load as the file that it prints", async () => {
    const service = keep(await startReferenceService());
    const env = { ASSAY_API_KEY: service.manifest.keys["primary"]?.secret ?? "" };
    const target = ["--base-url", service.url];
    const flags = ["--rate", "40", "--duration", "1s", "--output-tokens", "4", "--gate", "error_rate < 50%"];
    const run = await runAssay(["load", ...target, ...flags], { folder: emptyFolder(), env });
    expect([run.exitCode, run.stderr]).toEqual([0, expect.not.stringContaining("assay.config.yaml")]);
    const printed = await runAssay(["load", ...flags, "--print-profile"], { folder: emptyFolder(), demo: false });
    expect(printed.exitCode).toBe(0);
    const again = folderWith({ "mine.yaml": printed.stdout });
    const other = await runAssay(["load", ...target, "--profile", "mine.yaml"], { folder: again, env });
    const [one, two] = [run, other].map(({ folder }) => {
      const result = JSON.parse(readFileSync(join(runFolder(folder), "result.json"), "utf8")) as Result;
      return result.load?.profiles[0];
    });
    expect(one?.counts.planned).toBeGreaterThan(20);
    expect(one?.content).toEqual(two?.content);
    expect([one?.id, one?.counts.planned]).toEqual([two?.id, two?.counts.planned]);
  });

  it("prints a named profile with the probe that is sent", async () => {
    const printed = await runAssay(["load", "--profile", "smoke", "--probe", "other", "--print-profile"], { demo: false });
    expect(printed.exitCode).toBe(0);
    const own = loadProfile("smoke").profile;
    const read = readProfile(printed.stdout, "printed");
    expect(read.probe).toEqual({ ...defaultProbe, key: "other" });
    expect({ ...read, probe: null }).toEqual({ ...own, content: undefined, probe: null });
    const again = folderWith({ "mine.yaml": printed.stdout });
    const plain = await runAssay(["load", "--profile", "mine.yaml", "--probe", "--print-profile"], {
      folder: again,
      demo: false,
    });
    expect(plain.stdout).toBe(printed.stdout);
  });

  it.each([
    [["--rate", "5", "--concurrency", "5"], "exclude each other"],
    [["--cache-audit"], "--cache-audit belongs to a load that flags describe"],
    [["--gate", "errors == 0"], "--gate belongs to a load that flags describe"],
    [["--rate", "5", "--profile", "smoke"], "--profile names a load"],
    [["--rate", "0"], "requests a second, above 0"],
    [["--rate", ""], "requests a second, above 0"],
    [["--concurrency", "1.5"], "1 to 20000"],
    [["--rate", "5", "--repeat", "1"], "expected 2 to 50 runs"],
    [["--rate", "5", "--repeat-until", "5"], "expected a share of the mean with its sign"],
    [["--rate", "5", "--repeat-until", "0%"], "above 0%"],
    [["--rate", "5", "--repeat-until", "5%", "--repeat", "4"], "ends a load after 5 runs at the earliest"],
    [["--rate", "5", "--repeat-until", "5%", "--repeat", "4", "--print-profile"], "ends a load after 5 runs at the earliest"],
    [["--rate", "5", "--repeat", "4", "--print-profile"], "no profile holds them"],
    [["--rate", "5", "--duration", "5 parsecs"], "such as 60s"],
    [["--rate", "5", "--gate", "ttft.p95 < 5"], "needs a unit"],
    [["--rate", "5", "--gate", "embeddings.user_latency.p95 < 5s"], "the workload holds no embeddings"],
    [["--allow-load", "5"], "--allow-load permits load on a target"],
  ])("refuses %j", async (flags, message) => {
    const { exitCode, stderr } = await runAssay(["load", ...flags]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

it("repeats a load until its figures are narrow, and says why it ended", async () => {
  const flags = ["--rate", "100", "--duration", "0.3s", "--output-tokens", "4", "--gate", "error_rate < 50%"];
  const run = await runAssay(["load", "--demo", ...flags, "--repeat-until", "20%", "--repeat", "7"], { folder: emptyFolder() });
  expect([run.exitCode, run.stdout.replaceAll(/\s+/g, " ")]).toEqual([
    0,
    expect.stringContaining("ended after 5 of at most 7 runs: 95 % intervals within ±20 points of the mean"),
  ]);
  const { load } = JSON.parse(readFileSync(join(runFolder(run.folder), "result.json"), "utf8")) as Result;
  expect(load?.profiles.map(({ repeat }) => repeat)).toEqual(
    [1, 2, 3, 4, 5].map((number) => ({ of: load?.profiles.at(-1)?.repeat?.of, number, runs: 7, until: 0.2 })),
  );
  expect(load?.profiles.at(-1)?.repeats).toMatchObject({ runs: 5, end: { reason: "narrow", until: 0.2 } });
  const again = await runAssay(["report", runFolder(run.folder)], { folder: run.folder, demo: false });
  expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining("ended after 5 of at most 7 runs")]);
});

describe("--allow-load", () => {
  const elsewhere = "http://192.0.2.2";
  const env = { ASSAY_API_KEY: "sk-0123456789" };

  it("permits load on another machine, and no more than the manifest declares", async () => {
    const plan = (flags: readonly string[], rps?: number): Promise<{ exitCode: number | null; stdout: string }> => {
      const target = { target: { name: "t", baseUrl: elsewhere, timeoutMs: 500 }, keys: { primary: "${ASSAY_API_KEY}" } };
      const manifest = { ...target, ...(rps === undefined ? {} : { permissions: { loadUpToRps: rps } }) };
      const folder = folderWith({ "assay.config.yaml": manifest });
      return runAssay(["load", "--rate", "10", "--duration", "5s", "--plan", ...flags], { folder, env });
    };
    const refused = await plan([]);
    expect([refused.exitCode, refused.stdout]).toEqual([2, expect.stringContaining("allows 5 (--allow-load permits more)")]);
    expect((await plan(["--allow-load", "40"])).exitCode).toBe(0);
    const bounded = await plan(["--allow-load", "40"], 3);
    expect([bounded.exitCode, bounded.stdout]).toEqual([2, expect.stringContaining("permissions.loadUpToRps allows 3")]);
  });
});
