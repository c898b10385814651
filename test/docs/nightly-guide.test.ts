import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type ReferenceService, startReferenceService } from "../../src/index.ts";
import { emptyFolder, runAssay, runFolder } from "../cli/run-assay.ts";

interface NightlyProfile {
  readonly arrivals: { readonly thinkMs: number };
  readonly durationSeconds: number;
  readonly warmUpSeconds: number;
  readonly workload: readonly { readonly promptTokens: number; readonly outputTokens: number }[];
}

/** docs/guide/nightly.md, carried out in an empty folder: what a newcomer gets with one key and the manifest of `assay init`. */
describe("the guide to a nightly gate", () => {
  const folder = emptyFolder();
  let service: ReferenceService;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    service = await startReferenceService({ seed: 1 });
    const { baseUrl } = service.manifest.target;
    env = { ASSAY_API_KEY: service.manifest.keys["primary"]!.secret };
    await runAssay(["init", "--base-url", baseUrl], { folder, env });
  });
  afterAll(() => service.close());

  it("ends in 0 with the manifest that init wrote, its budget included, and keeps the scope", async () => {
    expect(existsSync(join(folder, "assay.config.yaml"))).toBe(true);
    const first = await runAssay(["check"], { folder, env });
    expect({ exitCode: first.exitCode, last: first.stdout.trimEnd().split("\n").at(-1) }).toEqual({
      exitCode: 0,
      last: expect.stringMatching(/PASSED {2}exit 0/) as string,
    });
    const result = JSON.parse(readFileSync(join(runFolder(folder), "result.json"), "utf8")) as { readonly exitCode: number };
    expect(result.exitCode).toBe(0);
    const again = await runAssay(["check", "--suite", "models", "--expect-scope", runFolder(folder)], { folder, env });
    expect(again.exitCode, "a run of one suite judges less").toBe(3);
  });

  it("has a load profile that cannot use up the budget of that manifest", async () => {
    const guide = readFileSync(new URL("../../docs/guide/nightly.md", import.meta.url), "utf8");
    const yaml = /```yaml\n(id: nightly\n[\s\S]*?)```/.exec(guide)![1]!;
    writeFileSync(join(folder, "nightly.yaml"), yaml);
    const plan = await runAssay(["load", "--profile", "nightly.yaml", "--plan"], { folder, env });
    expect([plan.exitCode, plan.stderr]).toEqual([0, ""]);
    const { arrivals, durationSeconds, warmUpSeconds, workload } = parse(yaml) as NightlyProfile;
    const requests = (1000 * (durationSeconds + warmUpSeconds)) / arrivals.thinkMs;
    const tokens = workload.reduce((sum, { promptTokens, outputTokens }) => sum + promptTokens + outputTokens, 0);
    expect(requests * tokens).toBeLessThan(100_000);
  });
});
