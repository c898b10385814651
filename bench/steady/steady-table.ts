import { readFileSync } from "node:fs";
import type { SteadySubject } from "./steady-subjects.ts";

/** One run that has ended, as a line of the file of results. */
export interface SteadyRow {
  readonly name: string;
  readonly kind: SteadySubject["kind"];
  readonly command: string;
  readonly busy: number;
  readonly seed: number;
  readonly exitCode: number;
  readonly reason: string | null;
  readonly findings: readonly string[];
  readonly seconds: number;
}

/** The runs that a file holds; none where there is no file. */
export function readRows(path: string): readonly SteadyRow[] {
  let text = "";
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as SteadyRow);
}

/** The fault in how a run ended; null: none. */
export function findFault({ kind, exitCode, name, command }: SteadyRow, rows: readonly SteadyRow[]): string | null {
  if (exitCode === 4) return "a fault of ours";
  if (exitCode === -1) return "hung";
  if (kind === "lawful") return exitCode === 1 ? "a lawful server is accused" : null;
  const calm = rows.find((row) => row.busy === 0 && row.name === name && row.command === command);
  return calm?.exitCode === 1 && exitCode === 0 ? "a defect that fails in calm passes" : null;
}

/** The table of the results: a line for each kind of server, command and number of loops. */
export function writeTable(rows: readonly SteadyRow[]): string {
  const lines = new Map<string, SteadyRow[]>();
  for (const row of rows) {
    const name = `${row.kind} | \`${row.command}\` | ${row.busy}`;
    lines.set(name, [...(lines.get(name) ?? []), row]);
  }
  const head =
    "| servers | command | busy loops | runs | exit 0 | 1 | 3 | 4 or hung | wrong | seconds, median |\n|---|---|---|---|---|---|---|---|---|---|";
  const body = [...lines].map(([name, own]) => {
    const ended = (...codes: readonly number[]): number => own.filter(({ exitCode }) => codes.includes(exitCode)).length;
    const wrong = own.filter((row) => findFault(row, rows) !== null).length;
    const seconds = own.map((row) => row.seconds).toSorted((a, b) => a - b)[own.length >> 1] ?? 0;
    return `| ${name} | ${own.length} | ${ended(0)} | ${ended(1)} | ${ended(3)} | ${ended(4, -1)} | ${wrong} | ${Math.round(seconds)} |`;
  });
  return [head, ...body].join("\n");
}
