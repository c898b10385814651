import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "playwright-core";
import type { Finding } from "../../../src/core/result/finding.ts";
import type { Result } from "../../../src/core/result/result.ts";
import type { Verdict } from "../../../src/core/result/verdict.ts";
import { followFindings } from "../../../src/features/history/runs/follow-findings.ts";
import { followLatencies } from "../../../src/features/history/runs/follow-latencies.ts";
import { launchBrowser } from "../../browser/launch-browser.ts";
import { emptyFolder, runAssay } from "../../cli/run-assay.ts";
import { buildSample } from "../../make/sample-result/sample-result.ts";

const { result: sample } = buildSample();
const row = sample.conformance!.requirements.find(({ id }) => id === "CHAT-014")!;
const finding: Finding = sample.findings.find(({ requirement }) => requirement === "CHAT-014")!;

/** A night in which the row had this verdict, and the finding or not. */
function night(verdict: Verdict, findings: readonly Finding[]): Result {
  return { ...sample, findings, conformance: { ...sample.conformance!, requirements: [{ ...row, verdict }] } };
}
const shown = night("fail", [finding]);
const met = night("pass", []);
const unjudged = night("untested", []);

describe("a finding over many runs", () => {
  it.each([
    ["new", [met, shown]],
    ["standing", [shown]],
    ["standing", [met, shown, shown]],
    // A night that did not judge it proves neither.
    ["standing", [shown, unjudged, shown]],
    ["standing", [shown, unjudged]],
    ["gone", [shown, met]],
    ["gone", [shown, met, unjudged]],
    ["flapping", [shown, met, shown]],
    ["flapping", [shown, met, shown, met]],
  ] as const)("is %s", (state, results) => {
    expect(followFindings(results)).toMatchObject([{ id: finding.id, state }]);
  });

  it("is followed by its last words, and those to act on stand first", () => {
    const other = { ...finding, id: "CHAT-014.other", message: "older" };
    const followed = followFindings([night("fail", [other]), night("fail", [{ ...other, message: "newer" }]), shown]);
    expect(followed.map(({ id, state }) => [id, state])).toEqual([
      [finding.id, "new"],
      ["CHAT-014.other", "gone"],
    ]);
    expect(followed[1]?.finding.message).toBe("newer");
    expect(followed[1]?.presence).toEqual(["present", "present", "absent"]);
  });
});

describe("a latency over many runs", () => {
  it("joins profiles of one content only, and leaves out what is not valid", () => {
    const [profile] = sample.load!.profiles;
    const of = (change: object): Result => ({
      ...sample,
      load: { calibration: null, profiles: [{ ...profile!, validity: { valid: true, reasons: [] }, ...change }] },
    });
    const same = followLatencies([of({}), of({ validity: { valid: false, reasons: ["late"] } }), of({})]);
    expect(same.length).toBeGreaterThan(0);
    for (const { points } of same) expect(points.map((point) => point === null)).toEqual([false, true, false]);
    const changed = followLatencies([of({}), of({ content: { sha256: "other" } })]);
    expect(changed.length).toBe(2 * same.length);
  });
});

describe("assay history", () => {
  const dir = join(emptyFolder(), "reports");
  const keepRun = (path: string, startedAt: string, change: object): void => {
    mkdirSync(join(dir, path), { recursive: true });
    writeFileSync(
      join(dir, path, "result.json"),
      JSON.stringify({ ...sample, startedAt, runId: path.split("/").at(-1), ...change }),
    );
    writeFileSync(join(dir, path, "report.html"), "<!doctype html>");
  };
  keepRun("2026-11-20T03-00-00Z", "2026-11-20T03:00:00.000Z", {});
  keepRun("a1b2c3/2026-11-21T03-00-00Z", "2026-11-21T03:00:00.000Z", { findings: [], verdict: "passed", exitCode: 0 });
  keepRun("other/2026-11-19T03-00-00Z", "2026-11-19T03:00:00.000Z", { target: { ...sample.target, name: "another" } });
  keepRun("d4e5f6/2026-11-22T03-00-00Z", "2026-11-22T03:00:00.000Z", {
    findings: buildSample({ hostile: true }).result.findings,
    reason: "<script>globalThis.pwned = 1</script>",
  });
  mkdirSync(join(dir, "broken"));
  writeFileSync(join(dir, "broken", "result.json"), "{");

  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it("writes one page over the runs of one target, with labels, and leads to each report", async () => {
    const ended = await runAssay(["history", dir]);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toMatch(/broken is left out/);
    expect(ended.stdout).toContain(`: 3 runs, the newest ${sample.verdict}`);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(dir, "index.html")).href);
    const text = (await page.locator("main").textContent()) ?? "";
    for (const part of ["1 run of other targets", "1 folder that cannot be read", "a1b2c3", "d4e5f6"])
      expect(text).toContain(part);
    await page.evaluate(axe.source);
    expect(await page.evaluate("axe.run().then((results) => results.violations.map(({ id }) => id))")).toEqual([]);
    expect(await page.evaluate("typeof globalThis.pwned")).toBe("undefined");
    const [content, view] = await page.evaluate<[number, number]>(
      "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
    );
    expect(content).toBeLessThanOrEqual(view);
    await page.locator(".verdict .strip a").nth(1).click();
    expect(page.url()).toMatch(/a1b2c3\/2026-11-21T03-00-00Z\/report\.html$/);
    await context.close();
  });

  it("is written anew by each run from the second on, labelled, and never over a page of somebody else", async () => {
    const folder = emptyFolder();
    const run = async (...flags: readonly string[]): Promise<void> => {
      const { exitCode, stderr } = await runAssay(["check", "--suite", "models", ...flags], { folder });
      expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining("assay: ")]);
    };
    const index = join(folder, "reports", "index.html");
    await run();
    expect(existsSync(index)).toBe(false);
    await run("--label", "v1 <b>");
    expect(readFileSync(index, "utf8")).toContain("v1 &lt;b&gt;");
    expect(readdirSync(join(folder, "reports")).filter((name) => name.startsWith("."))).toEqual([]);
    await run("--label=v2");
    expect(readFileSync(index, "utf8")).toContain(", 3 runs · assay");
    const kept = readFileSync(join(folder, "reports", "latest", "result.json"), "utf8");
    expect(JSON.parse(kept)).toMatchObject({ label: "v2" });
    // Judged again offline, the run keeps its name.
    await runAssay(["report"], { folder });
    expect(readFileSync(join(folder, "reports", "latest", "result.json"), "utf8")).toBe(kept);
    writeFileSync(index, "<title>Mine</title>");
    await run();
    expect(readFileSync(index, "utf8")).toBe("<title>Mine</title>");
    expect((await runAssay(["check", "--label", "a\u202eb"], { folder })).exitCode).toBe(2);
  });

  it("prints the same as JSON, and names what it does not find", async () => {
    const json = JSON.parse((await runAssay(["history", dir, "--json", "--target", "another"])).stdout) as {
      target: string;
      runs: readonly object[];
    };
    expect([json.target, json.runs.length]).toEqual(["another", 1]);
    expect((await runAssay(["history", join(dir, "none")])).exitCode).toBe(2);
    expect((await runAssay(["history", dir, "--target", "nobody"])).exitCode).toBe(2);
    const elsewhere = emptyFolder();
    cpSync(dir, join(elsewhere, "kept"), { recursive: true });
    const out = join(elsewhere, "page.html");
    await runAssay(["history", join(elsewhere, "kept"), "--out", out]);
    expect(readFileSync(out, "utf8")).toContain('href="./kept/a1b2c3/2026-11-21T03-00-00Z/report.html"');
  });
});
