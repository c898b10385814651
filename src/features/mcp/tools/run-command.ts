import { spawn } from "node:child_process";
import { clip } from "../../../report/escape/clip.ts";
import { ToolError } from "./tool.ts";

/** A client reads no more of one answer. */
const longestAnswer = 40_000;
/** Beyond this the output is not kept at all. */
const mostBytes = 8 * 1024 * 1024;

/**
 * The standard output of a command of assay, run as a process of its own: it masks what it prints, ends by itself, and nothing of it mixes
 * with the messages of the protocol. Exit codes 0, 1 and 3 are answers.
 */
export async function runCommand(args: readonly string[], signal: AbortSignal): Promise<string> {
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? "", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const give = (): void => void child.kill("SIGTERM");
  signal.addEventListener("abort", give, { once: true });
  const texts = { out: "", err: "" };
  const keep = (name: "out" | "err") => (text: string) => {
    if (texts[name].length < mostBytes) texts[name] += text;
  };
  child.stdout.setEncoding("utf8").on("data", keep("out"));
  child.stderr.setEncoding("utf8").on("data", keep("err"));
  const code = await new Promise<number | null>((ended, failed) => {
    child.once("error", failed);
    child.once("close", ended);
  });
  signal.removeEventListener("abort", give);
  if (signal.aborted) throw new ToolError("the call was cancelled");
  if (code === 0 || code === 1 || code === 3) return clip(texts.out, longestAnswer);
  throw new ToolError(clip(texts.err.trim(), 2_000) || `the command ended with ${code}`);
}
