import { afterAll, describe, expect, it } from "vitest";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Result } from "../../src/core/result/result.ts";
import { run } from "../../src/index.ts";
import { startReferenceService } from "../../src/reference/start-reference-service.ts";
import { renderHtml } from "../../src/report/html/render-html.ts";
import { renderCtrf } from "../../src/report/reporters/ctrf.ts";
import { renderJunit } from "../../src/report/reporters/junit.ts";
import { renderMarkdown } from "../../src/report/reporters/markdown.ts";
import { createScreen } from "../../src/report/terminal/screen.ts";
import { renderSummary } from "../../src/report/terminal/summary.ts";
import { buildSample } from "../make/sample-result/sample-result.ts";

const screen = createScreen({ stream: { write: () => true }, env: { NO_COLOR: "1", LANG: "C.UTF-8" } });

/** The number that a reader of each output sees beside the word failures. */
function countsOf(result: Result): Readonly<Record<string, number>> {
  const first = (text: string, form: RegExp): number => Number(form.exec(text)?.[1] ?? Number.NaN);
  const junit = renderJunit(result);
  const page = renderHtml(result, []);
  const saved = JSON.parse(JSON.stringify(result)) as Result;
  const ctrf = JSON.parse(renderCtrf(result)) as { results: { summary: { failed: number } } };
  return {
    json: saved.findings.filter(({ verdict, baselined }) => !baselined && (verdict === "fail" || saved.strict)).length,
    terminal: first(renderSummary(result, screen).trimEnd().split("\n").at(-1) ?? "", /(\d+) failures?\b/),
    "html, first screen": first(page, /Exit code\s+\d+, (\d+) failures?\b/),
    "html, section": first(page, /class="lead"[^>]*>\s*(\d+) failures?,/),
    markdown: first(renderMarkdown(result), /^Exit code \d+ · (\d+) failures? ·/m),
    junit: first(junit, /<testsuites [^>]*failures="(\d+)"/),
    // It has no status of errors: what is open in scope is a failed test there, and an error in JUnit.
    ctrf: ctrf.results.summary.failed - first(junit, /<testsuites [^>]*errors="(\d+)"/),
  };
}

describe("every output counts the same failures", () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-count-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("of conformance, where one defect violates many requirements and another several times the same", async () => {
    const mutants = ["chat/usage-absent", "errors/code-missing", "models/owner-absent"];
    const service = await startReferenceService({ seed: 5, mutants, clock: "manual" });
    try {
      const ended = await run({
        manifest: service.manifest,
        stages: ["conformance"],
        suites: ["models", "chat"],
        outDir: folder,
      });
      const { json, ...others } = countsOf(ended.result);
      expect(json).toBeGreaterThan(2);
      expect(others).toEqual(Object.fromEntries(Object.keys(others).map((name) => [name, json])));
      // The file is what the command wrote, not what the object holds.
      expect(readFileSync(join(ended.folder, "junit.xml"), "utf8")).toContain(`failures="${json}"`);
    } finally {
      await service.close();
    }
  });

  it.each([false, true])("of limits and conformance, in the sample of the repository; strict: %s", (strict) => {
    const saved = JSON.parse(gunzipSync(readFileSync("reports/sample/result.json.gz")).toString("utf8")) as Result;
    const { json, ...others } = countsOf({ ...saved, strict });
    expect(json).toBeGreaterThan(2);
    expect(others).toEqual(Object.fromEntries(Object.keys(others).map((name) => [name, json])));
  });

  it.each([false, true])("of all stages together, with known failures; strict: %s", (strict) => {
    const { json, ...others } = countsOf({ ...buildSample().result, strict });
    expect(json).toBeGreaterThan(0);
    expect(others).toEqual(Object.fromEntries(Object.keys(others).map((name) => [name, json])));
  });
});
