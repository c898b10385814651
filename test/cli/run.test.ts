import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compileSchema } from "../../src/schemas/validator.ts";
import { hasFiles, readResult, runAssay, runFolder, spawnAssay } from "./run-assay.ts";

const files = ["result.json", "report.html", "junit.xml", "evidence.ndjson", "run.json"];

describe("a run against the embedded reference service", async () => {
  const ended = await runAssay(["check", "--reporter", "markdown"]);

  it("ends conformant with the verdict on the last line", () => {
    expect({ exitCode: ended.exitCode, findings: readResult(ended.folder)["findings"] }).toEqual({ exitCode: 0, findings: [] });
    expect(ended.stdout.trimEnd().split("\n").at(-1)).toMatch(/PASSED {2}exit 0/);
  });

  it("fits on one screen, without waits and prices that the embedded service does not have", () => {
    const [target, head] = ended.stderr.split("\n");
    expect(target).toBe("target: the embedded reference service");
    expect(head).toMatch(/^conformance · \d+ cases \(\d+ requests planned\)/);
    expect(ended.stderr + ended.stdout).not.toMatch(/waiting|virtual|USD|\$/);
    expect((ended.stderr + ended.stdout).split("\n").length).toBeLessThan(20);
  });

  it("says the same as the exit code to CI systems that read JUnit", () => {
    const junit = readFileSync(join(runFolder(ended.folder), "junit.xml"), "utf8");
    expect(junit).toMatch(/<testsuites name="assay" tests="[1-9]\d+" failures="0" errors="0" /);
  });

  it("writes every report, and a result that its schema accepts", () => {
    expect(hasFiles(ended.folder, files)).toEqual(files);
    expect(compileSchema("result.schema")(readResult(ended.folder))).toEqual([]);
  });

  it("gives the same bytes when the saved run is judged again", async () => {
    const folder = runFolder(ended.folder);
    const before = readFileSync(join(folder, "result.json"), "utf8");
    const again = await runAssay(["report", folder]);
    expect(again.exitCode).toBe(0);
    expect(readFileSync(join(folder, "result.json"), "utf8")).toBe(before);
  });

  it("says so when the saved evidence was changed", async () => {
    const file = join(runFolder(ended.folder), "evidence.ndjson");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace('"status":422', '"status":429'));
    const again = await runAssay(["report", runFolder(ended.folder)]);
    const reported = /evidence\.ndjson: line \d+: the digest does not match the line before: the log was changed/;
    expect(again.stderr).toMatch(reported);
    expect(again.exitCode).toBe(1);
    expect(again.stdout.replaceAll("\n", " ")).toMatch(reported);
    expect(readFileSync(join(runFolder(ended.folder), "report.html"), "utf8")).toMatch(/<p class="why">[^<]*the log was changed/);
    writeFileSync(file, text);
  });
});

describe("a run against a defect of the reference service", () => {
  it("ends with exit code 1 and a finding that names the requirement and how to see it again", async () => {
    const { exitCode, stdout, folder } = await runAssay([
      "check",
      "--case",
      "chat/rejects-bad-temperature-above-2",
      "--mutant",
      "chat/temperature-above-unchecked",
    ]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("CHAT-021");
    const findings = readResult(folder)["findings"] as readonly { requirement: string; curl: string | null }[];
    expect(findings.find((finding) => finding.requirement === "CHAT-021")?.curl).toMatch(/^curl .*\$ASSAY_API_KEY/s);
  });
});

describe("Ctrl-C", () => {
  it("once: stops sending, writes the reports, exit code 130", async () => {
    const { exitCode, folder, stdout } = await spawnAssay(["load"], {
      when: { stderr: /load .* planned/, act: (kill) => setTimeout(() => kill("SIGINT"), 1500) },
    });
    expect(exitCode).toBe(130);
    expect(stdout).toMatch(/INTERRUPTED {2}exit 130/);
    expect(hasFiles(folder, files)).toEqual(files);
    expect(readResult(folder)).toMatchObject({ verdict: "interrupted", interrupted: true });
  });

  it("passed on by a parent as well: still counts once", async () => {
    const { exitCode, folder, stdout } = await spawnAssay(["load"], {
      when: {
        stderr: /load .* planned/,
        act: (kill) => {
          kill("SIGINT");
          // Not by a timer: this process may come to it late.
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
          kill("SIGINT");
        },
      },
    });
    expect(exitCode).toBe(130);
    expect(stdout).toMatch(/INTERRUPTED {2}exit 130/);
    expect(hasFiles(folder, files)).toEqual(files);
  });
});
