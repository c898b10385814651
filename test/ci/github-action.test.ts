import { existsSync, lstatSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type ReferenceService, run, startReferenceService } from "../../src/index.ts";
import { action, runAction } from "./run-action.ts";

const root = resolve(import.meta.dirname, "../..");
// An installed checkout stands for the package: npm links it, and nothing is downloaded.
const installed = { package: root, "node-version": "" };

let service: ReferenceService | null = null;
afterEach(async () => {
  await service?.close();
  service = null;
});

async function serve(mutants: readonly string[] = []): Promise<{ readonly url: string; readonly key: string }> {
  service = await startReferenceService({ seed: 8, mutants });
  return { url: service.url, key: service.manifest.keys["primary"]!.secret };
}

describe("the GitHub Action", () => {
  it("puts no input into a script and has no input for a key", () => {
    for (const { run: script } of action.runs.steps) expect(script ?? "").not.toContain("${{");
    expect(Object.keys(action.inputs).filter((name) => /key|secret|token/.test(name))).toEqual([]);
    expect(Object.keys(action.inputs)).toEqual(
      expect.arrayContaining(["base-url", "config", "command", "compare-with", "expect-scope", "budget"]),
    );
  });

  it("ends green on a conforming target, with summary, outputs and the report to keep", async () => {
    const { url, key } = await serve();
    const ended = await runAction({
      with: { ...installed, "base-url": url, flags: "--suite=models\n  --seed=3  \n" },
      env: { ASSAY_API_KEY: key },
    });
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(ended.outputs).toMatchObject({ "exit-code": "0", verdict: "passed" });
    expect(ended.summary).toContain("127.0.0.1");
    const folder = join(ended.workspace, ended.outputs["folder"]!);
    // Not the link "latest", which the next run moves.
    expect(lstatSync(folder).isSymbolicLink()).toBe(false);
    for (const file of ["result.json", "report.html", "junit.xml", "evidence.ndjson"])
      expect(existsSync(join(folder, file))).toBe(true);
    expect(JSON.parse(readFileSync(join(folder, "result.json"), "utf8"))).toMatchObject({ seed: 3 });
    expect(ended.used.map(({ uses }) => uses.split("@")[0])).toEqual(["actions/cache", "actions/upload-artifact"]);
    expect(ended.used[1]!.with).toMatchObject({ path: ended.outputs["folder"] });
    expect(ended.log + ended.summary).not.toContain(key);
  });

  it("keeps exit code 1, annotates the finding and still keeps the report", async () => {
    const { url, key } = await serve(["models/owner-absent"]);
    const ended = await runAction({
      with: { ...installed, "base-url": url, flags: "--suite=models" },
      env: { ASSAY_API_KEY: key },
    });
    expect({ exitCode: ended.exitCode, outputs: ended.outputs }).toMatchObject({
      exitCode: 1,
      outputs: { "exit-code": "1", verdict: "failed" },
    });
    expect(ended.log).toMatch(/^::error title=MOD-007\.[0-9a-z]{5}::.*owned_by is missing/m);
    expect(ended.summary).toContain("MOD-007");
    expect(ended.used.at(-1)!.uses).toContain("upload-artifact");
  });

  it("ends with 3 where nothing answers, and with 2 where the inputs cannot be used", async () => {
    const env = { ASSAY_API_KEY: "sk_test_0123456789" };
    const dead = await runAction({ with: { ...installed, "base-url": "http://127.0.0.1:9", flags: "--suite=models" }, env });
    expect(dead).toMatchObject({ exitCode: 3, outputs: { "exit-code": "3" } });
    for (const wrong of [
      {},
      { "base-url": "http://127.0.0.1:9", command: "serve" },
      { "base-url": "http://127.0.0.1:9", budget: "many" },
    ]) {
      const ended = await runAction({ with: { ...installed, ...wrong }, env });
      expect({ wrong, exitCode: ended.exitCode, code: ended.outputs["exit-code"] }).toEqual({ wrong, exitCode: 2, code: "2" });
      expect(ended.used.some(({ uses }) => uses.includes("upload-artifact"))).toBe(false);
    }
  });

  it("reads no input as shell", async () => {
    const mark = join(mkdtempSync(join(tmpdir(), "assay-mark-")), "mark");
    const evil = `$(touch ${mark})`;
    const inputs = {
      "base-url": `http://127.0.0.1:9/"; touch ${mark}; "`,
      config: evil,
      flags: `--suite=models\n\`touch ${mark}\``,
      "compare-with": evil,
    };
    const ended = await runAction({
      with: { ...installed, ...inputs, "expect-scope": evil, budget: evil },
      env: { ASSAY_API_KEY: "sk_test_0123456789" },
    });
    expect({ marked: existsSync(mark), exitCode: ended.exitCode }).toEqual({ marked: false, exitCode: 2 });
  });

  it("takes the manifest of the checkout, and sends no more than the budget", async () => {
    const { url, key } = await serve();
    const prepare = (workspace: string): void =>
      writeFileSync(
        join(workspace, "assay.config.yaml"),
        `target: { baseUrl: "${url}" }\nkeys: { primary: "\${STAGING_KEY}" }\n`,
      );
    const ended = await runAction({
      with: { ...installed, budget: "3", flags: "--suite=models" },
      env: { STAGING_KEY: key },
      prepare,
    });
    const result = JSON.parse(readFileSync(join(ended.workspace, ended.outputs["folder"]!, "result.json"), "utf8")) as {
      spent: { requests: number };
    };
    expect(result.spent.requests).toBeLessThanOrEqual(3);
    expect(ended.exitCode).not.toBe(0);
  });

  it("fails a run that is worse than the earlier one, and none that is the same", async () => {
    const outDir = mkdtempSync(join(tmpdir(), "assay-baseline-"));
    const { folder } = await run({ stages: ["conformance"], suites: ["models"], outDir });
    const same = await serve();
    const flags = "--suite=models\n--config=assay.config.yaml";
    const prepare = (workspace: string): void =>
      writeFileSync(
        join(workspace, "assay.config.yaml"),
        `target: { baseUrl: "${service!.url}" }\nkeys: { primary: "\${ASSAY_API_KEY}" }\nbaseline: [{ id: MOD-007, verdict: fail, reason: known }]\n`,
      );
    const good = await runAction({
      with: { ...installed, "base-url": same.url, flags: "--suite=models", "compare-with": folder },
      env: { ASSAY_API_KEY: same.key },
    });
    expect(good).toMatchObject({ exitCode: 0 });
    expect(good.summary).toContain("Compared with the earlier run");
    await service?.close();
    const worse = await serve(["models/owner-absent"]);
    // Forgiven by the manifest, so that the comparison alone can fail the job.
    const bad = await runAction({
      with: { ...installed, flags, "compare-with": folder },
      env: { ASSAY_API_KEY: worse.key },
      prepare,
    });
    expect(bad).toMatchObject({
      exitCode: 1,
      outputs: { "exit-code": "1", verdict: "passed" },
    });
    expect(bad.log).toContain("::error title=assay compare::");
  });
});
