import { spawnSync } from "node:child_process";
import { visibleJson } from "../../core/exchange/bodies/visible-json.ts";
import { showInvisible } from "../escape/visible.ts";
import { createScreen, type Screen } from "./screen.ts";

const mostLines = 20;
const mostCharacters = 4_000;
/** A line is cut there: the next one may say more. */
const longestLine = 500;

/** The first lines of a message, with what was left out counted. */
export function boundLines(text: string): string {
  const lines = text.split("\n");
  const kept: string[] = [];
  let characters = 0;
  for (const line of lines) {
    const shown =
      line.length <= longestLine ? line : `${line.slice(0, longestLine)}… (${line.length - longestLine} characters more)`;
    characters += shown.length + 1;
    if (characters > mostCharacters - 100 || kept.length === mostLines - 1) break;
    kept.push(shown);
  }
  // The last line has room for itself.
  if (kept.length === lines.length - 1 && (lines.at(-1)?.length ?? 0) <= 80) kept.push(lines.at(-1) ?? "");
  const left = lines.length - kept.length;
  return left === 0 ? kept.join("\n") : [...kept, `(${left} more ${left === 1 ? "line" : "lines"} left out)`].join("\n");
}

/**
 * The only way to standard output and standard error; a lint forbids any other. Names of a file, a target or an operator are
 * shown here, so that no escape sequence and no change of direction in one acts, whoever wrote the message around it.
 */
export const output = {
  /** A message on standard error: lines stay, all else that acts is shown. */
  say: (text: string): void => {
    process.stderr.write(`${showInvisible(text, { keepLines: true })}\n`);
  },

  /** The same for what a file or a command line got wrong, however much of it: 20 lines and 4 kB at most. */
  refuse: (text: string): void => {
    process.stderr.write(`${boundLines(showInvisible(text, { keepLines: true }))}\n`);
  },

  /** Plain text on standard output. */
  print: (text: string): void => {
    process.stdout.write(showInvisible(text, { keepLines: true }));
  },

  printJson: (value: unknown): void => {
    process.stdout.write(`${visibleJson(value, 2)}\n`);
  },

  /** Text whose parts have been escaped by a renderer, which adds colours or a format of its own. */
  printRendered: (text: string): void => {
    process.stdout.write(text);
  },

  /** The same, through a pager where it is longer than the terminal. */
  pageRendered: (text: string): void => pageOutput(text, process.stdout),

  screen: (stream: "stdout" | "stderr", env: NodeJS.ProcessEnv = process.env): Screen =>
    createScreen({ stream: process[stream], env }),
} as const;

/**
 * Prints a text; where the stream is a terminal with fewer rows than the text, through the pager of the operator, as git does
 * (PAGER, else less). Without a pager the text is printed as it is.
 */
function pageOutput(text: string, stream: Pick<NodeJS.WriteStream, "isTTY" | "rows" | "write">): void {
  const { isTTY, rows } = stream;
  const pager = process.env["PAGER"] ?? "less";
  if (isTTY && text.split("\n").length > rows && pager !== "" && process.env["TERM"] !== "dumb") {
    // F: a text that fits is not held; R: colours pass; X: the text stays on the screen.
    const env = { ...process.env, LESS: process.env["LESS"] ?? "FRX" };
    const { error, status } = spawnSync(pager, { input: text, stdio: ["pipe", "inherit", "inherit"], shell: true, env });
    // 127: the shell finds no such command.
    if (error === undefined && status !== 127) return;
  }
  stream.write(text);
}
