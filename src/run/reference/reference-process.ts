import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Manifest } from "../../core/manifest.ts";
import { secretVariable } from "../../wire/redaction/secret-variable.ts";
import { compiledFile } from "../compiled-file.ts";
import { NotMeasured } from "../not-measured.ts";
import type { RunRecord } from "../record/run-record.ts";

export interface ReferenceProcess {
  readonly manifest: Manifest;
  close(): Promise<void>;
}

export interface ReferenceProcessOptions {
  readonly latency: string;
  readonly seed: number;
  readonly variants?: readonly string[];
  readonly mutants?: readonly string[];
  /** How long it may take to announce itself; default: two minutes. */
  readonly startTimeoutMs?: number;
}

const commandFile = fileURLToPath(compiledFile("cli/bin.js"));

/** A child starts within a second; on a machine with sixty times the work that it can do it is not given up either. */
const startTimeoutMs = 120_000;

/**
 * Starts the reference service in a process of its own, so that it never shares an event loop with what measures it.
 * It announces itself with one line of JSON on standard output, and ends when its standard input closes: an orphan
 * cannot outlive a killed run.
 */
export async function startReferenceProcess(options: ReferenceProcessOptions): Promise<ReferenceProcess> {
  const flags = [
    "--latency",
    options.latency,
    "--seed",
    String(options.seed),
    ...(options.variants ?? []).flatMap((id) => ["--variant", id]),
    ...(options.mutants ?? []).flatMap((id) => ["--mutant", id]),
  ];
  const child = spawn(process.execPath, [commandFile, "serve", "--announce", "json", ...flags], {
    stdio: ["pipe", "pipe", "pipe"],
    // A terminal's Ctrl-C reaches the whole group; the run decides when its service ends.
    detached: true,
    // The service needs no secret of the environment, and would mask one that equals a key which it announces.
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !secretVariable.test(name))),
  });
  const complaints: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => complaints.push(line));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const announced = new Promise<Manifest>((resolve, reject) => {
    const patienceMs = options.startTimeoutMs ?? startTimeoutMs;
    const late = `the embedded reference service did not start within ${patienceMs / 1000} s`;
    const timer = setTimeout(() => reject(new NotMeasured(late)), patienceMs);
    createInterface({ input: child.stdout }).once("line", (line) => {
      clearTimeout(timer);
      resolve((JSON.parse(line) as { manifest: Manifest }).manifest);
    });
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      // Killed from outside, as by a system that is short of memory.
      if (signal !== null) reject(new NotMeasured(`the embedded reference service was ended by ${signal} before it started`));
      else reject(new Error(`it ended with code ${code}: ${complaints.join(" ")}`));
    });
  });
  const close = async (): Promise<void> => {
    child.stdin.end();
    const killer = setTimeout(() => child.kill("SIGKILL"), 2_000);
    await exited;
    clearTimeout(killer);
  };
  try {
    return { manifest: await announced, close };
  } catch (error) {
    child.kill("SIGKILL");
    throw new Error("The embedded reference service did not start", { cause: error });
  }
}

/**
 * Starts the embedded reference service anew as a saved run had it: same seed, hence the same keys and content, and the same
 * variants and mutants. null when the run measured another target.
 */
export async function reopenReference({ server, seed, variants, mutants }: RunRecord): Promise<ReferenceProcess | null> {
  return server === null ? null : startReferenceProcess({ latency: "instant", seed, variants, mutants });
}
