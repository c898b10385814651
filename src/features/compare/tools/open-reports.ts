import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../../command/usage-error.ts";
import { compileSchema } from "../../../schemas/validator.ts";
import { readAppendedReports } from "./read-tool-reports.ts";
import { tryJson } from "../../../core/exchange/bodies/recorded-json.ts";

/** The load tests of a file or of a run folder; null: nothing that is known. */
export function openReports(path: string): ReturnType<typeof readAppendedReports> {
  const [given] = splitFileName(path);
  const file = existsSync(given) && statSync(given).isDirectory() ? join(given, "result.json") : given;
  if (!existsSync(file)) return null;
  const read = readValues(readFileSync(file, "utf8"));
  if ("problem" in read) throw new UsageError(`${file}: ${read.problem}`);
  const [value] = read.values;
  try {
    return readAppendedReports(read.values);
  } catch (error) {
    // Files of other tools are read member by member; a result of assay is taken as a whole.
    const [fault] = compileSchema("result.schema")(value);
    if (fault === undefined) throw error;
    throw new UsageError(`${file} is no result of assay: ${fault.pointer || "/"} ${fault.message}`);
  }
}

/** The JSON values of a file, or the first line that is none. */
type FileValues = { readonly values: readonly unknown[] } | { readonly problem: string };

/**
 * Reads one JSON value, or one a line, as tools append them. NaN and infinities, which Python writes and JSON does not know, become
 * null: no figure.
 */
function readValues(text: string): FileValues {
  const whole = parse(text);
  if (whole !== undefined) return { values: [whole] };
  const lines = text.split(/\r\n|\n|\r/);
  const read = lines.map((line) => (line.trim() === "" ? null : { value: parse(line) }));
  const values = read.flatMap((line) => line ?? []);
  const bad = read.findIndex((line) => line !== null && line.value === undefined);
  if (bad === -1 && values.length > 0) return { values: values.map(({ value }) => value) };
  return { problem: `it is no JSON: ${whereWrong(text, lines, bad)}` };
}

function parse(text: string): unknown {
  return tryJson(text) ?? tryJson(replaceNonFinite(text));
}

/** A text is matched first, so that words within one stay as they are. */
function replaceNonFinite(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g, (match) => (match.startsWith('"') ? match : "null"));
}

/** A file of one value is wrong where the parser stops; one of lines at its first line that is no value. */
function whereWrong(text: string, lines: readonly string[], bad: number): string {
  const isLines = lines.filter((line) => parse(line) !== undefined).length > 0;
  const [at, message] = isLines || text.trim() === "" ? [bad, ""] : placeOf(replaceNonFinite(text));
  if (text.trim() === "") return "the file is empty";
  const line = lines[at] ?? "";
  return `line ${at + 1}${message === "" ? "" : ` (${message})`} holds ${JSON.stringify(line.trim().slice(0, 60))}`;
}

function placeOf(text: string): readonly [line: number, message: string] {
  try {
    JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    const position = positionIn(message, text);
    return [text.slice(0, position).split(/\r\n|\n|\r/).length - 1, message.split(/ in JSON|, \.*"/)[0]?.slice(0, 80) ?? ""];
  }
  return [0, ""];
}

/** V8 states the position, or shows what stands around it, with ten characters before where there are more. */
function positionIn(message: string, text: string): number {
  const stated = /position (\d+)/.exec(message)?.[1];
  if (stated !== undefined) return Number(stated);
  const { before, shown } = /(?<before>\.\.\.)?"(?<shown>[^]*?)"(?:\.\.\.)? is not valid JSON/.exec(message)?.groups ?? {};
  if (shown === undefined) return text.trimEnd().length;
  return Math.max(0, text.indexOf(shown)) + (before === undefined ? 0 : 10);
}

/** `FILE#NAME` names one of several load tests in a file. */
export function splitFileName(path: string): readonly [file: string, name: string | null] {
  const mark = path.lastIndexOf("#");
  return mark === -1 || existsSync(path) ? [path, null] : [path.slice(0, mark), path.slice(mark + 1)];
}
