import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { writeReports } from "../../../src/run/record/write-reports.ts";
import { buildSample } from "../../make/sample-result/sample-result.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it.each(["", "in a step"])(
  "keeps the step summary of the reporter github where a step asks for it, else in the run folder (%s)",
  async (where) => {
    const folder = mkdtempSync(join(tmpdir(), "assay-reports-"));
    const asked = join(folder, "asked.md");
    vi.stubEnv("GITHUB_STEP_SUMMARY", where === "" ? "" : asked);
    const printed = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const { result } = buildSample();
    const outcomes = await writeReports({ result, evidence: [], folder, reporters: [{ name: "github", path: null }] });
    expect(outcomes.filter((outcome) => outcome.problem !== null)).toEqual([]);
    expect(printed.mock.calls.flat().join("")).toContain("::error title=");
    const text = readFileSync(where === "" ? join(folder, "github-step-summary.md") : asked, "utf8");
    expect(text).toContain(result.target.name);
  },
);

it("gives the same reports whatever order the answers came in", async () => {
  const { result, evidence } = buildSample();
  const [inOrder, reversed] = await Promise.all(
    [evidence, evidence.toReversed()].map(async (answers) => {
      const folder = mkdtempSync(join(tmpdir(), "assay-reports-"));
      await writeReports({ result, evidence: answers, folder, reporters: [{ name: "ndjson", path: null }] });
      return ["result.json", "report.html", "junit.xml", "result.ndjson"].map((name) => readFileSync(join(folder, name), "utf8"));
    }),
  );
  expect(evidence.length).toBeGreaterThan(2);
  expect(reversed).toEqual(inOrder);
});
