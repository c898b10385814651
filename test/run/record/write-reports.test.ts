import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { writeReports } from "../../../src/run/record/write-reports.ts";
import { buildSample } from "../../report/sample-result.ts";

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
