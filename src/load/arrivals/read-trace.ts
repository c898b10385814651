import type { TraceArrivals } from "../profile/file/trace-arrivals.ts";
import { readAzure } from "./traces/read-azure.ts";
import { readBurstgpt } from "./traces/read-burstgpt.ts";
import { readMooncake } from "./traces/read-mooncake.ts";
import { readOwnLines } from "./traces/read-own-lines.ts";
import type { ReadRows, TraceEntry, TraceOptions } from "./traces/trace-entry.ts";

/** Tokens of one block of the Mooncake traces, unless the profile says otherwise. */
export const usualBlockTokens = 512;

const readers: Readonly<Record<TraceArrivals["format"], (lines: readonly string[], options: TraceOptions) => ReadRows>> = {
  jsonl: readOwnLines,
  mooncake: readMooncake,
  azure: readAzure,
  burstgpt: readBurstgpt,
};

/**
 * Reads a trace in the form that it was published in. A member that would change the load is used or refused by name. Entries come back
 * sorted, the first at 0. Throws SyntaxError that lists every wrong line (at most ten).
 */
export function readTrace(
  text: string,
  format: TraceArrivals["format"],
  options: Partial<TraceOptions> = {},
): readonly TraceEntry[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  const { entries, problems } = readers[format](lines, { blockTokens: usualBlockTokens, timeUnit: null, ...options });
  if (problems.length > 0) {
    const more = problems.length > 10 ? ` (and ${problems.length - 10} more)` : "";
    throw new SyntaxError(`trace cannot be read: ${problems.slice(0, 10).join("; ")}${more}`);
  }
  if (entries.length === 0) throw new SyntaxError("trace cannot be read: it holds no request");
  // Stable: rows of one instant stay in the order of the file.
  const sorted = entries.toSorted((a, b) => a.atMs - b.atMs);
  const first = sorted[0]?.atMs ?? 0;
  return sorted.map((entry) => ({ ...entry, atMs: entry.atMs - first }));
}
