import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** The built command, as a user runs it; `npm test` builds before it tests. */
export const commandFile: string = resolve(import.meta.dirname, "../../dist/src/cli/bin.js");

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly folder: string;
}

export interface AssayOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** Called as soon as the child exists. */
  readonly onStart?: (kill: (signal: NodeJS.Signals) => void) => void;
  /** Called with the child once its standard error holds this text. */
  readonly when?: { readonly stderr: RegExp; readonly act: (kill: (signal: NodeJS.Signals) => void) => void };
}

/** Runs `assay` in an empty folder of its own. */
export function runAssay(
  args: readonly string[],
  { env = {}, folder = emptyFolder(), when, onStart }: AssayOptions = {},
): Promise<Ended> {
  const inherited = { PATH: process.env["PATH"] ?? "", HOME: folder, NO_COLOR: "1", LANG: "C.UTF-8" };
  const child = spawn(process.execPath, [commandFile, ...args], { cwd: folder, env: { ...inherited, ...env } });
  onStart?.((signal) => child.kill(signal));
  let [stdout, stderr, acted] = ["", "", false];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    if (when === undefined || acted || !when.stderr.test(stderr)) return;
    acted = true;
    when.act((signal) => child.kill(signal));
  });
  return new Promise((resolveEnded, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => resolveEnded({ exitCode, stdout, stderr, folder }));
  });
}

export function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), "assay-test-"));
}

/** The only run folder below `reports`. */
export function runFolder(folder: string): string {
  const [first, ...others] = readdirSync(join(folder, "reports")).filter((name) => /^\d{4}-/.test(name));
  if (first === undefined || others.length > 0) throw new Error(`expected one run in ${folder}`);
  return join(folder, "reports", first);
}

export function readResult(folder: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(runFolder(folder), "result.json"), "utf8")) as Record<string, unknown>;
}

export function hasFiles(folder: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => existsSync(join(runFolder(folder), name)));
}
