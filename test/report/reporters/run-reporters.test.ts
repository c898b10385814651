import { describe, expect, it } from "vitest";
import { parseReporter } from "../../../src/report/reporters/parse-reporter.ts";
import type { Reporter } from "../../../src/report/reporters/reporter.ts";
import { reporters } from "../../../src/report/reporters/reporters.ts";
import { runReporters } from "../../../src/report/reporters/run-reporters.ts";
import { buildSample } from "../../make/sample-result/sample-result.ts";

const { result, evidence } = buildSample({ clean: true });

describe("parseReporter", () => {
  it("reads a name and a path", () => {
    expect(parseReporter("junit")).toEqual({ name: "junit", path: null });
    expect(parseReporter("json=-")).toEqual({ name: "json", path: "-" });
    expect(parseReporter("html=a=b.html")).toEqual({ name: "html", path: "a=b.html" });
  });

  it("names what is known", () => {
    expect(parseReporter("junt")).toEqual({
      problem: expect.stringContaining('unknown reporter "junt"; did you mean junit? known are html, json'),
    });
    expect(parseReporter("constructor")).toHaveProperty("problem");
    expect(parseReporter("csv=")).toHaveProperty("problem");
  });
});

describe("runReporters", () => {
  it("writes each where it belongs", async () => {
    const written = new Map<string, string>();
    const outcomes = await runReporters(
      [
        { name: "badge", path: null },
        { name: "csv", path: "out/my.csv" },
        { name: "json", path: "-" },
        { name: "github", path: null },
      ],
      result,
      evidence,
      (path, text, append) => void written.set(append ? `${path} (append)` : path, text),
    );
    expect([...written.keys()]).toEqual(["badge.json", "out/my.csv", "-", "$GITHUB_STEP_SUMMARY (append)"]);
    expect(outcomes.map(({ name, problem }) => [name, problem])).toEqual([
      ["badge", null],
      ["csv", null],
      ["json", null],
      ["github", null],
    ]);
  });

  it("loses no reporter to another that throws or cannot be written", async () => {
    const written: string[] = [];
    const broken: Reporter = {
      ...reporters.junit,
      render: () => {
        throw new TypeError("cannot read this");
      },
    };
    const outcomes = await runReporters(
      [
        { name: "junit", path: null },
        { name: "html", path: "/full/disk.html" },
        { name: "badge", path: null },
      ],
      result,
      evidence,
      async (path) => {
        if (path.startsWith("/full")) throw new Error("no space left");
        written.push(path);
        await Promise.resolve();
      },
      { ...reporters, junit: broken },
    );
    expect(written).toEqual(["badge.json"]);
    expect(outcomes).toEqual([
      { name: "junit", paths: [], problem: "cannot read this", sent: false },
      { name: "html", paths: [], problem: "no space left", sent: false },
      { name: "badge", paths: ["badge.json"], problem: null, sent: false },
    ]);
  });
});
