import { execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Truth } from "./truth-server.ts";

export interface TruthServer {
  readonly url: string;
  readonly language: "C" | "Node";
  /** Everything since it was asked before. */
  readonly truth: () => Promise<Truth>;
  readonly stop: () => void;
}

/** Events of a stream, milliseconds between them, and before the first. */
export type TruthShape = readonly [events: number, intervalMs: number, firstMs: number];

/** Starts the server in C where `cc` can compile it, else the one in Node. `work`: a folder for the program; `compiled`: the benches as JavaScript. */
export async function startTruthServer(shape: TruthShape, work: string, compiled: URL): Promise<TruthServer> {
  const program = compileServer(work);
  const parts = shape.map(String);
  const child =
    program === null
      ? spawn(process.execPath, [fileURLToPath(new URL("truth-server.js", compiled)), ...parts], {
          stdio: ["pipe", "pipe", "inherit"],
        })
      : spawn(program, parts, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error("the server has ended");
    return value;
  };
  return {
    url: `http://127.0.0.1:${await next()}`,
    language: program === null ? "Node" : "C",
    truth: async () => {
      child.stdin.write("truth\n");
      return JSON.parse(await next()) as Truth;
    },
    stop: () => void child.stdin.end(),
  };
}

function compileServer(work: string): string | null {
  const program = join(work, "truth-server");
  try {
    execFileSync("cc", ["-O2", "-o", program, fileURLToPath(new URL("truth-server.c", import.meta.url))], { stdio: "ignore" });
    return program;
  } catch {
    return null;
  }
}
