import { type Column, parseCount, readTable } from "./read-table.ts";
import type { ReadRows, TraceEntry } from "./trace-entry.ts";

const columns: readonly Column[] = [
  { name: "TIMESTAMP", expected: "no instant", parse: parseInstant },
  { name: "ContextTokens", expected: "not a whole number", parse: parseCount },
  { name: "GeneratedTokens", expected: "not a whole number", parse: parseCount },
  { name: "NumImages", expected: "not a whole number", parse: parseCount, optional: true },
];

/** Traces of Azure of 2023 and 2024, and the rows without images of the multimodal one of 2025. */
export function readAzure(lines: readonly string[]): ReadRows {
  const problems: string[] = [];
  if (/request tokens/i.test(lines[0] ?? "")) {
    return { entries: [], problems: ["line 1 names the columns of BurstGPT; say format: burstgpt"] };
  }
  const entries = readTable(lines, columns, problems).flatMap(({ place, cells }): readonly TraceEntry[] => {
    if (Number(cells["NumImages"] ?? 0) > 0) {
      problems.push(`${place}: NumImages is ${cells["NumImages"]}; prompts with images cannot be replayed`);
      return [];
    }
    const [atMs, promptTokens, outputTokens] = ["TIMESTAMP", "ContextTokens", "GeneratedTokens"].map((name) =>
      Number(cells[name]),
    );
    return [{ atMs: atMs ?? 0, promptTokens: promptTokens ?? 0, outputTokens: outputTokens ?? 0 }];
  });
  return { entries, problems };
}

/** `2023-11-16 18:17:03.9799600` (UTC, up to seven decimals) or with an offset; milliseconds with fraction. */
function parseInstant(text: string): number | null {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d+)?\s*(Z|[+-]\d\d:\d\d)?$/.exec(text.trim());
  if (match === null) return null;
  const whole = Date.parse(`${match[1]}T${match[2]}${match[4] ?? "Z"}`);
  return Number.isNaN(whole) ? null : whole + 1000 * Number(match[3] ?? 0);
}
