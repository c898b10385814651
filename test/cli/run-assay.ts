import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { vi } from "vitest";
import { main } from "../../src/cli/main.ts";
import { engineFlags } from "../make/runner/engine-flags.ts";

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
  /** Default: a new one, empty. */
  readonly folder?: string;
  /** Whether a command without a target gets `--demo`; default: it does. */
  readonly demo?: boolean;
}

export interface SpawnOptions extends AssayOptions {
  /** Called as soon as the child exists. */
  readonly onStart?: (kill: (signal: NodeJS.Signals) => void) => void;
  /** Called with the child once its standard error holds this text. */
  readonly when?: { readonly stderr: RegExp; readonly act: (kill: (signal: NodeJS.Signals) => void) => void };
}

function environmentIn(folder: string, env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return { PATH: process.env["PATH"] ?? "", HOME: folder, NO_COLOR: "1", LANG: "C.UTF-8", ...env };
}

const targets = /^--(?:base-url|config|replay|variant|mutant|demo)\b/;

/** Most tests are not about the target: their commands test the embedded service, and say so. */
function withTarget(args: readonly string[], folder: string, demo = true): readonly string[] {
  const [command = "", ...rest] = args;
  const isRun =
    ["run", "check", "limits", "load"].includes(command) && !rest.some((word) => targets.test(word) || word === "--help");
  const manifests = ["assay.config.yaml", "assay.config.yml", "assay.config.json"];
  const hasTarget = !demo || manifests.some((name) => existsSync(join(folder, name)));
  return isRun && !hasTarget ? [command, "--demo", ...rest] : args;
}

let turn: Promise<unknown> = Promise.resolve();

/**
 * Runs a command line in this process, from the source: ten times as fast as a child. Working directory, environment and output
 * are those of the process, so that commands wait for each other. Tests of the process itself (signals, crashes, masking of its
 * output, load that must not share a loop with its target) need `spawnAssay`.
 */
export function runAssay(args: readonly string[], options: AssayOptions = {}): Promise<Ended> {
  const ended = turn.then(() => runHere(args, options));
  turn = ended.catch(() => undefined);
  return ended;
}

async function runHere(args: readonly string[], { env = {}, folder = emptyFolder(), demo }: AssayOptions): Promise<Ended> {
  const [before, cwd, reported] = [process.env, process.cwd(), { stdout: "", stderr: "" }];
  const signals = ["SIGINT", "SIGTERM"] as const;
  const heard = signals.map((signal) => process.listeners(signal));
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text, ...rest) => {
      reported[name] += typeof text === "string" ? text : Buffer.from(text).toString("utf8");
      const done = rest.find((each) => typeof each === "function");
      done?.();
      return true;
    }),
  );
  process.env = environmentIn(folder, env);
  process.chdir(folder);
  try {
    const exitCode = await main(withTarget(args, folder, demo));
    return { exitCode, ...reported, folder };
  } finally {
    process.chdir(cwd);
    process.env = before;
    for (const spy of spies) spy.mockRestore();
    // A run hears signals until its process ends.
    for (const [index, signal] of signals.entries()) {
      for (const listener of process.listeners(signal)) if (!heard[index]?.includes(listener)) process.off(signal, listener);
    }
  }
}

/** Runs the built command in a child, as a user does, but for flags of the engine that spare processor time. */
export function spawnAssay(
  args: readonly string[],
  { env = {}, folder = emptyFolder(), demo, when, onStart }: SpawnOptions = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [...engineFlags, commandFile, ...withTarget(args, folder, demo)], {
    cwd: folder,
    env: environmentIn(folder, env),
  });
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

/** A new folder with these files; what is no text is written as JSON, which YAML readers take as well. */
export function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = emptyFolder();
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return folder;
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
