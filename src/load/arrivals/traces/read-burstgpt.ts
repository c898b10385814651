import { type Column, parseCount, readTable } from "./read-table.ts";
import type { ReadRows, TraceEntry } from "./trace-entry.ts";

const parseText = (cell: string): string | null => (cell === "" ? null : cell);
const parseNumber = (cell: string): number | null => (/^\d+(?:\.\d+)?$/.test(cell) ? Number(cell) : null);

const columns: readonly Column[] = [
  { name: "Timestamp", expected: "no number of seconds", parse: parseNumber },
  { name: "Model", expected: "no name", parse: parseText },
  { name: "Request tokens", expected: "not a whole number", parse: parseCount },
  { name: "Response tokens", expected: "not a whole number", parse: parseCount },
  { name: "Total tokens", expected: "not a whole number", parse: parseCount },
  // These are about the recording, and change nothing of what is sent.
  { name: "Log Type", expected: "no name", parse: (cell) => cell, optional: true },
  { name: "Elapsed time", expected: "no number", parse: (cell) => cell, optional: true },
];

/** BurstGPT (Wang et al. 2024): seconds, model, lengths. The model becomes the label of an entry of the workload, if there is one. */
export function readBurstgpt(lines: readonly string[]): ReadRows {
  const problems: string[] = [];
  if ((lines[0] ?? "").split(",").some((name) => name.trim().toLowerCase() === "session id")) {
    problems.push(
      'line 1: the column "Session ID" cannot be replayed, since nothing says whether Request tokens holds earlier turns; without it, rows are sent one by one',
    );
    return { entries: [], problems };
  }
  const entries = readTable(lines, columns, problems).flatMap(({ place, cells }): readonly TraceEntry[] => {
    const [prompt, output, total] = ["Request tokens", "Response tokens", "Total tokens"].map((name) => Number(cells[name]));
    if ((prompt ?? 0) + (output ?? 0) !== total) {
      problems.push(`${place}: Total tokens is ${total}, and ${prompt} and ${output} are not that many`);
      return [];
    }
    const label = labelOf(String(cells["Model"]));
    return [{ atMs: 1000 * Number(cells["Timestamp"]), promptTokens: prompt ?? 0, outputTokens: output ?? 0, label }];
  });
  return { entries, problems };
}

/** As labels of a workload are written: `GPT-4` is `gpt-4`. */
function labelOf(model: string): string {
  return model.toLowerCase().replace(/[^a-z0-9 -]/g, "-");
}
