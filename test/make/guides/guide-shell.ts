import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { engineFlags } from "../runner/engine-flags.ts";

export interface Carried {
  readonly exitCode: number;
  readonly stdout: string;
  /** The last line of standard output. */
  readonly last: string;
}

export interface GuideShell {
  readonly folder: string;
  /** One line of a guide, as a shell runs it in the folder of the reader. */
  run(line: string, env?: Readonly<Record<string, string>>): Promise<Carried>;
  /** A line that goes on, in a terminal of its own: its output until `enough`, and the way to end it. */
  start(line: string, enough: RegExp): Promise<{ readonly stdout: string; readonly end: () => Promise<void> }>;
  close(): void;
}

/** An empty folder in which `assay` and `npx assay` are the built command. */
export function openGuideShell(): GuideShell {
  const folder = mkdtempSync(join(tmpdir(), "assay-guide-"));
  const bin = resolve(import.meta.dirname, "../../../dist/src/cli/bin.js");
  const tools = mkdtempSync(join(tmpdir(), "assay-guide-bin-"));
  const write = (name: string, script: string): void => {
    writeFileSync(join(tools, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(tools, name), 0o755);
  };
  write("assay", `exec "${process.execPath}" ${engineFlags.join(" ")} "${bin}" "$@"`);
  write("npx", `[ "$1" = assay ] || exit 127; shift; exec "${tools}/assay" "$@"`);
  const base = { PATH: `${tools}:${process.env["PATH"] ?? ""}`, HOME: folder };
  return {
    folder,
    run: (line, env = {}) =>
      new Promise((ended) => {
        execFile("sh", ["-c", line], { cwd: folder, env: { ...base, ...env } }, (error, stdout) => {
          const exitCode = error === null ? 0 : typeof error.code === "number" ? error.code : 128;
          ended({ exitCode, stdout, last: stdout.trimEnd().split("\n").at(-1) ?? "" });
        });
      }),
    start: (line, enough) =>
      new Promise((started, failed) => {
        const child = spawn("sh", ["-c", `exec ${line}`], { cwd: folder, env: base, stdio: ["ignore", "pipe", "ignore"] });
        let stdout = "";
        child.once("exit", () => failed(new Error(`${line} ended: ${stdout}`)));
        child.stdout.setEncoding("utf8").on("data", (text: string) => {
          stdout += text;
          if (enough.test(stdout)) started({ stdout, end: () => endOf(child) });
        });
      }),
    close: () => {
      for (const each of [folder, tools]) rmSync(each, { recursive: true });
    },
  };
}

function endOf(child: ChildProcess): Promise<void> {
  return new Promise((ended) => {
    child.once("exit", () => ended());
    child.kill("SIGINT");
  });
}
