import { shortValue } from "../../core/short-value.ts";
import { isJsonObject, tryJson } from "../../core/exchange/bodies/recorded-json.ts";
import type { PromptBlocks, TraceFormat } from "../profile/load-profile.ts";

/** One request of a recorded trace. */
export interface TraceEntry {
  /** From the first request of the trace. */
  readonly atMs: number;
  readonly promptTokens: number | null;
  readonly outputTokens: number | null;
  /** The parts of the prompt, if the trace reports them. */
  readonly blocks?: PromptBlocks;
}

/** Tokens of one block of the Mooncake traces, unless the profile says otherwise. */
export const usualBlockTokens = 512;

/**
 * Reads a trace. `jsonl`: one object a line with `at_ms`, optional `prompt_tokens` and `output_tokens`. `mooncake`: JSON
 * lines with `timestamp` (ms), optional `input_length`, `output_length` and `hash_ids`, one for each block of the prompt, the
 * last of which may be shorter (Qin et al. 2024). `azure`: CSV with the columns TIMESTAMP, ContextTokens, GeneratedTokens
 * (Azure LLM inference traces 2023 and 2024). Entries come back sorted, the first at 0. Throws SyntaxError that lists every
 * wrong line (at most ten).
 */
export function readTrace(text: string, format: TraceFormat, blockTokens: number = usualBlockTokens): readonly TraceEntry[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  const problems: string[] = [];
  const entries = format === "azure" ? readAzure(lines, problems) : readJsonLines(lines, format, blockTokens, problems);
  if (problems.length > 0) {
    const more = problems.length > 10 ? ` (and ${problems.length - 10} more)` : "";
    throw new SyntaxError(`trace cannot be read: ${problems.slice(0, 10).join("; ")}${more}`);
  }
  if (entries.length === 0) throw new SyntaxError("trace cannot be read: it holds no request");
  entries.sort((a, b) => a.atMs - b.atMs);
  const first = entries[0]?.atMs ?? 0;
  return entries.map((entry) => ({ ...entry, atMs: entry.atMs - first }));
}

function readJsonLines(
  lines: readonly string[],
  format: "jsonl" | "mooncake",
  blockTokens: number,
  problems: string[],
): TraceEntry[] {
  const names = format === "jsonl" ? ["at_ms", "prompt_tokens", "output_tokens"] : ["timestamp", "input_length", "output_length"];
  const [at = "", prompt = "", output = ""] = names;
  const entries: TraceEntry[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const place = `line ${index + 1}`;
    const value = tryJson(line);
    if (!isJsonObject(value)) {
      problems.push(`${place} is no JSON object`);
      continue;
    }
    const wrong = [prompt, output].filter((name) => !isLeftOut(value[name]) && tokenCount(value[name]) === null);
    for (const name of wrong) problems.push(`${place}: "${name}" is ${shortValue(value[name])}, not a whole number`);
    const atMs = value[at];
    if (typeof atMs !== "number" || !Number.isFinite(atMs)) {
      problems.push(`${place} has no number "${at}"`);
      continue;
    }
    const promptTokens = tokenCount(value[prompt]);
    const entry = { atMs, promptTokens, outputTokens: tokenCount(value[output]) };
    const ids = format === "mooncake" ? value["hash_ids"] : undefined;
    if (isLeftOut(ids) || wrong.includes(prompt)) {
      entries.push(entry);
      continue;
    }
    const problem = blocksProblem(ids, promptTokens, blockTokens);
    if (problem !== null) problems.push(`${place}: ${problem}`);
    else entries.push({ ...entry, blocks: { ids: ids as readonly number[], tokens: blockTokens } });
  }
  return entries;
}

function blocksProblem(ids: unknown, promptTokens: number | null, blockTokens: number): string | null {
  if (!Array.isArray(ids) || ids.some((id) => tokenCount(id) === null)) return '"hash_ids" is no list of whole numbers';
  if (promptTokens === null) return '"hash_ids" needs "input_length"';
  const needed = Math.ceil(promptTokens / blockTokens);
  return ids.length === needed
    ? null
    : `"hash_ids" holds ${ids.length} ids, ${promptTokens} tokens are ${needed} blocks of ${blockTokens} (blockTokens of the profile)`;
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || value === null;
}

const azureColumns = ["TIMESTAMP", "ContextTokens", "GeneratedTokens"] as const;

function readAzure(lines: readonly string[], problems: string[]): TraceEntry[] {
  const header = (lines[0] ?? "").split(",").map((name) => name.trim().toLowerCase());
  const columns = azureColumns.map((name) => header.indexOf(name.toLowerCase()));
  if (columns.includes(-1)) {
    problems.push(`line 1 must name the columns ${azureColumns.join(", ")}`);
    return [];
  }
  const entries: TraceEntry[] = [];
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === "") continue;
    const cells = line.split(",");
    const [at = "", prompt = "", output = ""] = columns.map((column) => (cells[column] ?? "").trim());
    const values = [parseInstant(at), parseCount(prompt), parseCount(output)] as const;
    for (const [which, cell] of [at, prompt, output].entries()) {
      if (values[which] !== null) continue;
      const what = cell === "" ? "is empty" : `is ${JSON.stringify(cell)}, ${which === 0 ? "no instant" : "not a whole number"}`;
      problems.push(`line ${index + 1}, column ${(columns[which] ?? 0) + 1} (${azureColumns[which]}) ${what}`);
    }
    const [atMs, promptTokens, outputTokens] = values;
    if (atMs !== null) entries.push({ atMs, promptTokens, outputTokens });
  }
  return entries;
}

function parseCount(cell: string): number | null {
  return /^\d+$/.test(cell) ? tokenCount(Number(cell)) : null;
}

/** `2023-11-16 18:17:03.9799600` (UTC, up to seven decimals) or with an offset; milliseconds with fraction. */
function parseInstant(text: string): number | null {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d+)?\s*(Z|[+-]\d\d:\d\d)?$/.exec(text.trim());
  if (match === null) return null;
  const whole = Date.parse(`${match[1]}T${match[2]}${match[4] ?? "Z"}`);
  return Number.isNaN(whole) ? null : whole + 1000 * Number(match[3] ?? 0);
}

function tokenCount(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
