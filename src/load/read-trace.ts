import type { TraceFormat } from "./load-profile.ts";

/** One request of a recorded trace. */
export interface TraceEntry {
  /** From the first request of the trace. */
  readonly atMs: number;
  readonly promptTokens: number | null;
  readonly outputTokens: number | null;
}

/**
 * Reads a trace. `jsonl`: one object a line with `at_ms`, optional `prompt_tokens` and `output_tokens`. `mooncake`: JSON
 * lines with `timestamp` (ms), `input_length`, `output_length` (Qin et al. 2024). `azure`: CSV with the columns TIMESTAMP,
 * ContextTokens, GeneratedTokens (Azure LLM inference traces 2023 and 2024). Entries come back sorted, the first at 0.
 * Throws SyntaxError that lists every wrong line (at most ten).
 */
export function readTrace(text: string, format: TraceFormat): readonly TraceEntry[] {
  const lines = text.split(/\r\n|\n|\r/);
  const problems: string[] = [];
  const entries = format === "azure" ? readAzure(lines, problems) : readJsonLines(lines, format, problems);
  if (problems.length > 0) {
    const more = problems.length > 10 ? ` (and ${problems.length - 10} more)` : "";
    throw new SyntaxError(`trace cannot be read: ${problems.slice(0, 10).join("; ")}${more}`);
  }
  if (entries.length === 0) throw new SyntaxError("trace cannot be read: it holds no request");
  entries.sort((a, b) => a.atMs - b.atMs);
  const first = entries[0]?.atMs ?? 0;
  return entries.map(({ atMs, promptTokens, outputTokens }) => ({ atMs: atMs - first, promptTokens, outputTokens }));
}

function readJsonLines(lines: readonly string[], format: "jsonl" | "mooncake", problems: string[]): TraceEntry[] {
  const names = format === "jsonl" ? ["at_ms", "prompt_tokens", "output_tokens"] : ["timestamp", "input_length", "output_length"];
  const [at = "", prompt = "", output = ""] = names;
  const entries: TraceEntry[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const value = parseObject(line);
    if (value === null) {
      problems.push(`line ${index + 1} is no JSON object`);
      continue;
    }
    const atMs = value[at];
    if (typeof atMs !== "number" || !Number.isFinite(atMs)) problems.push(`line ${index + 1} has no number "${at}"`);
    else entries.push({ atMs, promptTokens: tokenCount(value[prompt]), outputTokens: tokenCount(value[output]) });
  }
  return entries;
}

function readAzure(lines: readonly string[], problems: string[]): TraceEntry[] {
  const header = (lines[0] ?? "").split(",").map((name) => name.trim().toLowerCase());
  const columns = ["timestamp", "contexttokens", "generatedtokens"].map((name) => header.indexOf(name));
  const [at = -1, prompt = -1, output = -1] = columns;
  if (columns.includes(-1)) {
    problems.push("line 1 must name the columns TIMESTAMP, ContextTokens, GeneratedTokens");
    return [];
  }
  const entries: TraceEntry[] = [];
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === "") continue;
    const cells = line.split(",");
    const atMs = parseInstant(cells[at] ?? "");
    if (atMs === null) problems.push(`line ${index + 1} has no timestamp`);
    else entries.push({ atMs, promptTokens: tokenCount(Number(cells[prompt])), outputTokens: tokenCount(Number(cells[output])) });
  }
  return entries;
}

/** `2023-11-16 18:17:03.9799600` (UTC, up to seven decimals) or with an offset; milliseconds with fraction. */
function parseInstant(text: string): number | null {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d+)?\s*(Z|[+-]\d\d:\d\d)?$/.exec(text.trim());
  if (match === null) return null;
  const whole = Date.parse(`${match[1]}T${match[2]}${match[4] ?? "Z"}`);
  return Number.isNaN(whole) ? null : whole + 1000 * Number(match[3] ?? 0);
}

function parseObject(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function tokenCount(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}
