import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { startReferenceService } from "../../src/reference/start-reference-service.ts";
import { compileFlags } from "../make/runner/engine-flags.ts";
import { sampleOf, sampleTitle } from "../make/runner/sample.ts";
import { commandFile, runAssay, runFolder } from "./run-assay.ts";

interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
  readonly folder: string;
}

const service = await startReferenceService();
afterAll(() => service.close());

/**
 * Carries out a line of shell. `$ASSAY` is the command, `$CHECK` a short check of its own service, `$LIVE` one of a service that runs
 * already.
 */
function within(shell: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), "assay-operator-"));
  const assay = `"${process.execPath}" ${compileFlags.join(" ")} "${commandFile}"`;
  const line = shell
    .replaceAll("$CHECK", "$ASSAY check --demo --suite models")
    .replaceAll("$LIVE", "$ASSAY check --suite models $TARGET")
    .replaceAll("$TARGET", `--base-url ${service.url}`)
    .replaceAll("$ASSAY", assay);
  const inherited = { PATH: process.env["PATH"] ?? "", HOME: folder, NO_COLOR: "1", LANG: "C.UTF-8" };
  const key = service.manifest.keys["primary"]?.secret ?? "";
  const set = Object.entries({ ...inherited, ASSAY_API_KEY: key, ...env }).filter(([, value]) => value !== "");
  const child = spawn("bash", ["-c", line], { cwd: folder, env: Object.fromEntries(set), timeout: 100_000 });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  return new Promise((resolve) => {
    child.once("close", (exitCode) => resolve({ exitCode, output, folder }));
  });
}

/** A run that went well, in a new place. */
async function savedRun(): Promise<string> {
  wholeRun ??= within("$LIVE");
  const copy = mkdtempSync(join(tmpdir(), "assay-operator-"));
  cpSync(runFolder((await wholeRun).folder), copy, { recursive: true });
  return copy;
}
let wholeRun: Promise<Ended> | null = null;

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
  )(`gets the same verdict with %s (${sampleTitle})`, async (_name, shell, env) => {
    const { exitCode, output, folder } = await within(shell, env);
    expect([exitCode, output.includes("assay itself")]).toEqual([0, false]);
    expect(readdirSync(runFolder(folder))).toEqual(
      expect.arrayContaining(["result.json", "report.html", "evidence.ndjson", "run.json"]),
    );
  });

  it("whose limit on open files is too low even to start learns how to raise it", async () => {
    for (const files of [48, 64]) {
      const { exitCode, output } = await within(`ulimit -n ${files}; $CHECK`);
      expect([files, exitCode, output.includes("    at ")]).toEqual([files, 2, false]);
      expect(output).toContain("ulimit -n 65536");
    }
  });

  it("whose disk is full at any write learns so, and gets no green", async () => {
    // Blocks of a kilobyte: the limit on the size of a file stands in for a full disk at each of them.
    for (const blocks of sampleOf([0, 1, 16, 64], 2)) {
      const { exitCode, output, folder } = await within(`ulimit -f ${blocks}; $LIVE`);
      expect([blocks, exitCode === 2 || exitCode === 3]).toEqual([blocks, true]);
      expect(output).toMatch(/EFBIG|file too large|cannot be made/i);
      expect(output).not.toContain("    at ");
      const reports = join(folder, "reports");
      const left = existsSync(reports) ? readdirSync(reports, { recursive: true, encoding: "utf8" }) : [];
      // No part of a file stands for the whole, and none that was begun is left.
      for (const name of left.filter((one) => /\.(?:json|xml|html|new)$/.test(one))) expect(name).toSatisfy(isWhole(reports));
    }
  });

  it("whose disk was full at the end still has what was recorded", async () => {
    const run = await savedRun();
    // As a run leaves it that could write its record at its beginning and not at its end.
    renameSync(join(run, "run.json"), join(run, "run.unfinished.json"));
    const { stdout, stderr, exitCode } = await runAssay(["report", run]);
    expect(stdout + stderr).toContain("partial: the run was ended from outside");
    expect(exitCode).not.toBe(0);
  });

  it("may run twice into one folder, through a symbolic link, and far down", async () => {
    const { exitCode, folder } = await within(
      "mkdir real; ln -s real reports; $LIVE & $LIVE; first=$?; wait $!; exit $((first + $?))",
    );
    expect(exitCode).toBe(0);
    expect(readdirSync(join(folder, "real")).filter((name) => /^\d{4}-/.test(name))).toHaveLength(2);
    const deep = Array.from({ length: 18 }, () => "d".repeat(200)).join("/");
    const far = await within(`$LIVE --out ${deep}`);
    expect([0, 2]).toContain(far.exitCode);
    const tooDeep = await within(`$LIVE --out ${"d".repeat(300)}`);
    expect(tooDeep.exitCode).toBe(2);
    expect(tooDeep.output).toContain("no folder can be made for the run");
  });

  it("who removes the folder while a run goes learns so, and gets no green", async () => {
    const { exitCode, output } = await within(
      // These suites take a second: the folder goes while they run, however late this shell gets its turn.
      "$ASSAY check --suite core,chat $TARGET & until [ -e reports/latest/evidence.ndjson ]; do sleep 0.01; done; until rm -rf reports; do :; done; wait $!",
    );
    // No fault of assay, which 4 would say.
    expect([2, 3]).toContain(exitCode);
    expect(output).toMatch(/ENOENT|could not be written/);
  });

  it("who is given a run folder reads and writes nothing outside of it, and waits for no pipe", async () => {
    const run = await savedRun();
    const mine = join(mkdtempSync(join(tmpdir(), "assay-operator-")), "mine.txt");
    writeFileSync(mine, "mine");
    for (const name of ["result.json", "report.html", "junit.xml", "report.md"]) {
      rmSync(join(run, name), { force: true });
      symlinkSync(mine, join(run, name));
    }
    // Reports that somebody replaced are written anew, and end with 1.
    const written = await runAssay(["report", run]);
    expect([written.exitCode, readFileSync(mine, "utf8")]).toEqual([1, "mine"]);
    expect(JSON.parse(readFileSync(join(run, "result.json"), "utf8"))).toMatchObject({ schemaVersion: "1.0" });
    symlinkSync("/etc/passwd", join(run, "load.ndjson"));
    const linked = await runAssay(["report", run]);
    expect([linked.exitCode, (linked.stdout + linked.stderr).includes("root:")]).toEqual([2, false]);
    rmSync(join(run, "load.ndjson"));
    // In a child: what waited for a pipe here would never end.
    const piped = await within(`mkfifo "${run}/load.ndjson"; $ASSAY report "${run}"`);
    expect(piped).toMatchObject({ exitCode: 2, output: expect.stringContaining("it is a link, a folder, a pipe or a device") });
  });
});
