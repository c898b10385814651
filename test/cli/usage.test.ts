import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer, type AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { commandFile, emptyFolder, readResult, runAssay } from "./run-assay.ts";
import { keep } from "../make/keep.ts";

describe("usage", () => {
  it("explains itself and its commands", async () => {
    const { exitCode, stdout } = await runAssay(["--help"]);
    expect(exitCode).toBe(0);
    for (const command of [
      "run",
      "check",
      "limits",
      "load",
      "serve",
      "report",
      "compare",
      "list",
      "explain",
      "replay",
      "init",
      "doctor",
    ]) {
      expect(stdout).toMatch(new RegExp(`^ {2}${command} `, "m"));
    }
  });

  it.each([
    [["rum"], "unknown command rum\ndid you mean run?"],
    [["chekc", "--help"], "unknown command chekc\ndid you mean check?"],
    [["help", "chekc"], "unknown command chekc\ndid you mean check?"],
    [["xyzzy"], "unknown command xyzzy\nassay --help lists the commands"],
    [["list", "sutes"], "did you mean suites?"],
    [["check", "--suite", "chats"], "no suite is named chats\ndid you mean chat?"],
    [["check", "--suite", "chta"], "no suite is named chta\ndid you mean chat?"],
    [["run", "--reporter", "jnuit"], 'unknown reporter "jnuit"; did you mean junit?'],
    [["run", "--json", "--reporter", "github"], "--json and the reporter github would mix on standard output\nwrite github=FILE"],
    [["explain", "CHAT-021", "--json"], "unknown option '--json'"],
    [["check", "--case", "models/lisd"], "no conformance case is named models/lisd\ndid you mean models/list?"],
    [["run", "--seed", "-1"], "expected an integer from 0 to 4294967295"],
    [["run", "--reporter", "pdf"], 'unknown reporter "pdf"'],
    [["run", "--reporter", "json=-", "--reporter", "github"], "json and github would mix on standard output; write json=FILE"],
    [["serve", "--latency", "slow"], "Allowed choices are instant, realistic"],
    [["load", "--profile", "smok"], 'no profile named "smok"'],
    [["serve", "--mutant", "no/such"], "no/such"],
    [["serve", "--clock", "sundial"], "--clock sundial is not known"],
    [["explain", "CHAT-999"], "unknown id: CHAT-999"],
    [["report", "nowhere"], "nowhere is not a run folder"],
    [["check", "--base-url", "http://127.0.0.1:1"], "ASSAY_API_KEY is not set"],
    [["check", "--config", "missing.yaml"], "there is no such file"],
    [["doctor"], "no target is given"],
  ])("refuses %j with exit code 2 and a reason", async (args, reason) => {
    const { exitCode, stderr, stdout } = await runAssay(args);
    expect(stderr).toContain(reason);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  });

  it.each(["check", "report"])("prints the help of %s", async (command) => {
    const { exitCode, stdout } = await runAssay(["help", command]);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`Usage: assay ${command}`)]);
  });

  it("prints one result as JSON with --json, of a run and of its record, and one line with -q", async () => {
    const run = await runAssay(["check", "--suite", "models", "--json"]);
    expect(JSON.parse(run.stdout)).toMatchObject({ verdict: "passed", exitCode: 0 });
    const again = await runAssay(["report", "--json"], { folder: run.folder });
    expect(JSON.parse(again.stdout)).toMatchObject({ verdict: "passed", runId: JSON.parse(run.stdout).runId });
    const quiet = await runAssay(["report", "-q"], { folder: run.folder });
    expect(quiet.stdout.trim().split("\n").length).toBeLessThan(4);
    expect(quiet.stdout).toContain("PASSED");
  });

  it("names the runtimes that it does not run on, with exit code 2", () => {
    const pretend = (versions: object): ReturnType<typeof spawnSync> => {
      const lie = `Object.defineProperty(process, "versions", { value: { ...process.versions, ...${JSON.stringify(versions)} } })`;
      const source = `data:text/javascript,${encodeURIComponent(lie)}`;
      return spawnSync(process.execPath, ["--import", source, commandFile, "list"], { encoding: "utf8" });
    };
    expect([{ bun: "1.3.1" }, { deno: "2.6.0" }, { node: "20.18.3" }, { node: "18.20.1" }].map(pretend)).toMatchObject([
      { status: 2, stderr: "assay: Bun 1.3.1 is not supported: assay runs on Node 20.19 or later\n" },
      { status: 2, stderr: "assay: Deno 2.6.0 is not supported: assay runs on Node 20.19 or later\n" },
      { status: 2, stderr: "assay: Node 20.18.3 is too old: assay runs on Node 20.19 or later\n" },
      { status: 2, stderr: "assay: Node 18.20.1 is too old: assay runs on Node 20.19 or later\n" },
    ]);
  });

  it("refuses addresses that are not HTTP", async () => {
    for (const [address, words] of [
      ["ftp://x", "addresses of scheme ftp: cannot be a target"],
      ["localhost:8080/v1", "http:// or https:// is missing before localhost:8080/v1"],
      ["10.0.0.7:8080", "http:// or https:// is missing before 10.0.0.7:8080"],
    ] as const) {
      const env = { ASSAY_API_KEY: "sk-0123456789" };
      const { exitCode, stderr } = await runAssay(["check", "--base-url", address], { env });
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(words)]);
    }
  });

  it("finds the manifest of a folder above, up to the root of the repository", async () => {
    const folder = emptyFolder();
    mkdirSync(join(folder, ".git"));
    mkdirSync(join(folder, "a/b"), { recursive: true });
    writeFileSync(join(folder, "assay.config.yaml"), "target: { baseUrl: nonsense }\n");
    const { exitCode, stderr } = await runAssay(["check"], { folder: join(folder, "a/b") });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("assay.config.yaml:1: target.baseUrl");
  });

  it("ends with the code for a run that is not complete, not with that for findings, when standard output cannot be written", async () => {
    const command = `"${process.execPath}" "${commandFile}" list requirements`;
    const full = spawnSync("sh", ["-c", `${command} > /dev/full`], { encoding: "utf8" });
    expect(full.status).toBe(3);
    expect(full.stderr).toMatch(/^assay: standard output cannot be written: ENOSPC/);
    // The run is kept: only its summary is lost.
    const folder = emptyFolder();
    const run = `"${process.execPath}" "${commandFile}" check --demo --suite models > /dev/full`;
    const unseen = spawnSync("sh", ["-c", run], { encoding: "utf8", cwd: folder, env: { PATH: process.env["PATH"] ?? "" } });
    expect(unseen.status).toBe(3);
    expect(unseen.stderr).toContain("assay: standard output cannot be written: ENOSPC");
    expect(readResult(folder)).toMatchObject({ verdict: "passed", exitCode: 0 });
    // The reader leaves at once: no trace of it on standard error, and no other exit code.
    const piped = spawnSync("bash", ["-c", `${command} | exec 0<&-; exit "\${PIPESTATUS[0]}"`], { encoding: "utf8" });
    expect({ status: piped.status, stderr: piped.stderr }).toEqual({ status: 0, stderr: "" });
  });

  it("takes a used port, a file in the way and an empty list for mistakes of whoever types, not for faults of its own", async () => {
    const holder = keep(createServer());
    await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
    const { port } = holder.address() as AddressInfo;
    const folder = emptyFolder();
    mkdirSync(join(folder, "assay.config.yaml"));
    const served = await runAssay(["serve", "--port", String(port)]);
    const written = await runAssay(["init", "--force"], { folder });
    const empty = await runAssay(["check", "--suite", ""]);
    await runAssay(["challenge", "--out", "c.json"], { folder });
    const again = await runAssay(["challenge", "--out", "c.json"], { folder });
    const long = await runAssay(["openapi", "--out", "x".repeat(300)], { folder });
    expect([served, written, empty, again, long].map(({ exitCode }) => exitCode)).toEqual([2, 2, 2, 2, 2]);
    expect(served.stderr).toMatch(new RegExp(`^assay: listen 127\\.0\\.0\\.1:${port}: another program uses this port`));
    expect(written.stderr).toMatch(/^assay: open assay\.config\.yaml: it is a folder/);
    expect(empty.stderr).toContain("the list is empty");
    expect(again.stderr).toMatch(/^assay: open c\.json: it is there already, and is not written over/);
    expect(long.stderr).toMatch(/^assay: open x{300}: the name is too long/);
    for (const { stderr } of [served, written, empty, again, long]) expect(stderr).not.toMatch(/fault of assay|\n {4}at /);
  });

  it("writes a manifest once", async () => {
    const folder = emptyFolder();
    const first = await runAssay(["init"], { folder });
    expect(first.exitCode).toBe(0);
    expect(readFileSync(join(folder, "assay.config.yaml"), "utf8")).toContain('baseUrl: "http://127.0.0.1:8080"');
    const second = await runAssay(["init"], { folder });
    expect(second.exitCode).toBe(2);
    expect(second.stderr).toContain("assay.config.yaml exists already");
  });

  it.each(["requirements", "cases", "profiles", "variants", "mutants"])("lists %s as text and as JSON", async (what) => {
    const text = await runAssay(["list", what]);
    const json = await runAssay(["list", what, "--json"]);
    const entries = JSON.parse(json.stdout) as readonly { id: string }[];
    expect(entries.length).toBeGreaterThan(5);
    expect(
      text.stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.split(" ")[0]),
    ).toEqual(entries.map((entry) => entry.id));
  });

  it("adds up lists that are given twice", async () => {
    const { stdout } = await runAssay(["check", "--suite", "models", "--suite", "audio", "--plan", "--json"]);
    const { conformance } = JSON.parse(stdout) as { conformance: { requestsByEndpoint: Record<string, number> } };
    expect(Object.keys(conformance.requestsByEndpoint)).toEqual(expect.arrayContaining(["models", "transcriptions"]));
  });

  it("explains every id that reports use: figures, gates, observations, profiles, checks and findings", async () => {
    const first = async (id: string): Promise<string> => (await runAssay(["explain", id])).stdout.split("\n")[0] ?? "";
    expect(await first("chat.ttft.p95")).toBe("chat.ttft.p95  figure of load, time");
    expect(await first("error_rate < 1%")).toBe("error_rate  figure of load, fraction");
    expect(await first("buffered")).toBe("buffered  figure of load, count");
    expect(await first("smoke")).toBe("smoke  load profile, poisson");
    expect(await first("limits.over-admission.hdvhn")).toContain("a finding about limits.over-admission");
    expect((await runAssay(["explain", "RATE-024"])).stdout).toContain("limit checks: limits.retry-after-too-short");
    expect((await runAssay(["explain", "ttft.p95000"])).exitCode).toBe(2);
    const { stdout } = await runAssay(["list", "figures"]);
    expect(stdout.split("\n").filter((line) => /^(ttft\.p95|error_rate|observations\.buffered) /.test(line))).toHaveLength(3);
  });

  it("explains a requirement with its judges, cases and the defects that it catches", async () => {
    const { stdout } = await runAssay(["explain", "chat-021"]);
    expect(stdout).toMatch(/^CHAT-021 {2}must {2}suite chat\n/);
    expect(stdout).toMatch(/\njudges: \S/);
    expect(stdout).toMatch(/\ncase: chat\//);
    expect(stdout).toMatch(/\ndefect: chat\//);
  });
});
