import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { compileFlags } from "../../test/make/runner/engine-flags.ts";

export interface Bounds {
  readonly seconds: number;
  readonly megabytes: number;
}

export interface BoundedRun {
  /** null: it was ended for taking too long or too much memory, or died. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly seconds: number;
  readonly peakMegabytes: number;
}

export interface BoundedOptions {
  readonly folder: string;
  readonly secret: string;
  readonly bounds: Bounds;
  /** Variables beside those of every run. */
  readonly env?: Readonly<Record<string, string>>;
}

const commandFile = new URL("../../dist/src/cli/bin.js", import.meta.url).pathname;

/** The built command in this folder; ended when it exceeds the seconds, or four times the memory. */
export async function runBounded(
  args: readonly string[],
  { folder, secret, bounds, env: more = {} }: BoundedOptions,
): Promise<BoundedRun> {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    NO_COLOR: "1",
    LANG: "C.UTF-8",
    ASSAY_API_KEY: secret,
    ASSAY_REJECT_KEY: `${secret}2`,
    ...more,
  };
  const startedAtMs = performance.now();
  const child = spawn(process.execPath, [...compileFlags, commandFile, ...args], { cwd: folder, env });
  let [output, peakMegabytes] = ["", 0];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const watch = setInterval(() => {
    peakMegabytes = Math.max(peakMegabytes, readPeak(child.pid ?? 0));
    // A process that would take the memory of the machine is ended before.
    if (peakMegabytes > 4 * bounds.megabytes) child.kill("SIGKILL");
  }, 25);
  const timer = setTimeout(() => child.kill("SIGKILL"), 1000 * bounds.seconds);
  const exitCode = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearInterval(watch);
  clearTimeout(timer);
  return { exitCode, output, seconds: (performance.now() - startedAtMs) / 1000, peakMegabytes };
}

/** Megabytes of memory that a process had at most (Linux); 0 where the system does not say. */
function readPeak(pid: number): number {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Math.round(Number(kilobytes ?? 0) / 1024);
  } catch {
    return 0;
  }
}
