import { spawn } from "node:child_process";
import { join } from "node:path";
import type { RunRequest, Stage } from "../../src/index.ts";
import type { SteadySubject } from "./steady-subjects.ts";

export interface SteadyTrial {
  readonly subject: SteadySubject;
  /** As on the command line: check, limits or run. */
  readonly command: string;
  readonly seed: number;
  /** Loops that take all of a processor beside it. */
  readonly busy: number;
}

export interface SteadyEnd {
  readonly exitCode: number;
  readonly reason: string | null;
  readonly findings: readonly string[];
  readonly seconds: number;
}

export const stagesOf: Readonly<Record<string, readonly Stage[]>> = {
  check: ["conformance"],
  limits: ["limits"],
  run: ["conformance", "limits", "load"],
};

const here = import.meta.dirname;

/** Keeps so many loops busy while something runs. */
export async function beside<Value>(count: number, run: () => Promise<Value>): Promise<Value> {
  const loops = Array.from({ length: count }, () =>
    spawn(process.execPath, [join(here, "busy.mjs")], { stdio: ["pipe", "ignore", "ignore"] }),
  );
  try {
    return await run();
  } finally {
    for (const loop of loops) loop.stdin.end();
  }
}

/** One run in a process of its own, as a user has it; one that is not over within `mostSeconds` is ended and counts as hung (-1). */
export async function tryOnce({ subject, command, seed }: SteadyTrial, outDir: string, mostSeconds: number): Promise<SteadyEnd> {
  const { target, close } = await subject.open();
  const request: RunRequest = { ...target, stages: stagesOf[command] ?? [], seed, outDir };
  const startMs = performance.now();
  try {
    const child = spawn(process.execPath, [join(here, "one-run.mjs"), JSON.stringify(request)], {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: Math.ceil(1000 * mostSeconds),
      killSignal: "SIGKILL",
    });
    const [out, errors] = [child.stdout, child.stderr].map((stream) => {
      const pieces: Buffer[] = [];
      stream.on("data", (piece: Buffer) => pieces.push(piece));
      return pieces;
    });
    const signal = await new Promise<string | null>((resolve) => child.once("close", (_, by) => resolve(by)));
    const seconds = (performance.now() - startMs) / 1000;
    const line = Buffer.concat(out!).toString("utf8");
    if (line === "") {
      const reason = signal === null ? Buffer.concat(errors!).toString("utf8").slice(0, 300) : `not over within ${mostSeconds} s`;
      return { exitCode: -1, reason, findings: [], seconds };
    }
    return { ...(JSON.parse(line) as Omit<SteadyEnd, "seconds">), seconds };
  } finally {
    await close();
  }
}
