import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampleOf, sampleTitle } from "../make/sample.ts";
import { commandFile, runFolder } from "./run-assay.ts";

interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
  readonly folder: string;
}

/** Runs a short check within whatever the line of shell sets up; `$ASSAY` is the command. */
function within(shell: string, env: Readonly<Record<string, string>> = {}): Ended {
  const folder = mkdtempSync(join(tmpdir(), "assay-operator-"));
  const assay = `"${process.execPath}" "${commandFile}"`;
  const inherited = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    NO_COLOR: "1",
    LANG: "C.UTF-8",
    CHECK: `${assay} check --suite models`,
  };
  const { status, stdout, stderr } = spawnSync(
    "bash",
    ["-c", shell.replaceAll("$CHECK", "$ASSAY check --suite models").replaceAll("$ASSAY", assay)],
    {
      cwd: folder,
      env: Object.fromEntries(Object.entries({ ...inherited, ...env }).filter(([, value]) => value !== "")),
      encoding: "utf8",
      timeout: 240_000,
    },
  );
  return { exitCode: status, output: stdout + stderr, folder };
}

/** Whether a file of a run folder is of its form up to its end. */
function isWhole(folder: string): (name: string) => boolean {
  return (name) => {
    const text = readFileSync(join(folder, name), "utf8").trimEnd();
    if (!name.endsWith(".json")) return /<\/(?:html|testsuites)>$/.test(text);
    try {
      return typeof JSON.parse(text) === "object";
    } catch {
      return false;
    }
  };
}

describe("an unlucky operator", () => {
  it.each(
    sampleOf<readonly [string, string, Record<string, string>]>(
      [
        ["256 open files", "ulimit -n 256; $CHECK", {}],
        ["a heap of 96 MB", "$CHECK", { NODE_OPTIONS: "--max-old-space-size=96" }],
        ["no HOME", "unset HOME; $CHECK", {}],
        ["a locale without UTF-8", "$CHECK", { LANG: "C", LC_ALL: "POSIX" }],
        ["standard output closed", "$CHECK >&-", {}],
        ["standard error closed", "$CHECK 2>&-", {}],
        ["all three closed", "$CHECK <&- >&- 2>&-", {}],
      ],
      4,
    ),
  )(`gets the same verdict with %s (${sampleTitle})`, (_name, shell, env) => {
    const { exitCode, output, folder } = within(shell, env);
    expect([exitCode, output.includes("assay itself")]).toEqual([0, false]);
    expect(readdirSync(runFolder(folder))).toEqual(
      expect.arrayContaining(["result.json", "report.html", "evidence.ndjson", "run.json"]),
    );
  });

  it("whose limit on open files is too low even to start learns how to raise it", () => {
    for (const files of [48, 64]) {
      const { exitCode, output } = within(`ulimit -n ${files}; $CHECK`);
      expect([files, exitCode, output.includes("    at ")]).toEqual([files, 2, false]);
      expect(output).toContain("ulimit -n 65536");
    }
  });

  it("whose disk is full at any write learns so, and gets no green", () => {
    // Blocks of a kilobyte: the limit on the size of a file stands in for a full disk at each of them.
    for (const blocks of sampleOf([0, 1, 16, 64], 2)) {
      const { exitCode, output, folder } = within(`ulimit -f ${blocks}; $CHECK`);
      expect([blocks, exitCode === 2 || exitCode === 3]).toEqual([blocks, true]);
      expect(output).toMatch(/EFBIG|file too large|cannot be made/i);
      expect(output).not.toContain("    at ");
      const reports = join(folder, "reports");
      const left = existsSync(reports) ? readdirSync(reports, { recursive: true, encoding: "utf8" }) : [];
      // No part of a file stands for the whole, and none that was begun is left.
      for (const name of left.filter((one) => /\.(?:json|xml|html|new)$/.test(one))) expect(name).toSatisfy(isWhole(reports));
    }
  });

  it("whose disk was full at the end still has what was recorded", () => {
    const { folder } = within("$CHECK");
    const run = runFolder(folder);
    // As a run leaves it that could write its record at its beginning and not at its end.
    renameSync(join(run, "run.json"), join(run, "run.unfinished.json"));
    const report = spawnSync(process.execPath, [commandFile, "report", run], { encoding: "utf8" });
    expect(report.stdout + report.stderr).toContain("partial: the run was ended from outside");
    expect(report.status).not.toBe(0);
  });

  it("may run twice into one folder, through a symbolic link, and far down", () => {
    const { exitCode, folder } = within(
      "mkdir real; ln -s real reports; $CHECK & $CHECK; first=$?; wait $!; exit $((first + $?))",
    );
    expect(exitCode).toBe(0);
    expect(readdirSync(join(folder, "real")).filter((name) => /^\d{4}-/.test(name))).toHaveLength(2);
    const deep = Array.from({ length: 18 }, () => "d".repeat(200)).join("/");
    const far = within(`$CHECK --out ${deep}`);
    expect([0, 2]).toContain(far.exitCode);
    const tooDeep = within(`$CHECK --out ${"d".repeat(300)}`);
    expect(tooDeep.exitCode).toBe(2);
    expect(tooDeep.output).toContain("no folder can be made for the run");
  });

  it("who removes the folder while a run goes learns so, and gets no green", () => {
    const { exitCode, output } = within(
      // These suites take a second: the folder goes while they run, however late this shell gets its turn.
      "$ASSAY check --suite core,chat & until [ -e reports/latest/evidence.ndjson ]; do sleep 0.01; done; until rm -rf reports; do :; done; wait $!",
    );
    // No fault of assay, which 4 would say.
    expect([2, 3]).toContain(exitCode);
    expect(output).toMatch(/ENOENT|could not be written/);
  });

  it("who is given a run folder reads and writes nothing outside of it, and waits for no pipe", () => {
    const { folder } = within("$CHECK");
    const run = runFolder(folder);
    const report = (): { readonly status: number | null; readonly output: string } => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [commandFile, "report", run], {
        encoding: "utf8",
        timeout: 60_000,
      });
      return { status, output: stdout + stderr };
    };
    const mine = join(folder, "mine.txt");
    writeFileSync(mine, "mine");
    for (const name of ["result.json", "report.html", "junit.xml", "report.md"]) {
      rmSync(join(run, name), { force: true });
      symlinkSync(mine, join(run, name));
    }
    expect([report().status, readFileSync(mine, "utf8")]).toEqual([0, "mine"]);
    expect(JSON.parse(readFileSync(join(run, "result.json"), "utf8"))).toMatchObject({ schemaVersion: "1.0" });
    symlinkSync("/etc/passwd", join(run, "load.ndjson"));
    const linked = report();
    expect([linked.status, linked.output.includes("root:")]).toEqual([2, false]);
    rmSync(join(run, "load.ndjson"));
    spawnSync("bash", ["-c", 'mkfifo "$0"', join(run, "load.ndjson")]);
    expect(report()).toMatchObject({ status: 2, output: expect.stringContaining("it is a link, a folder, a pipe or a device") });
  });
});
