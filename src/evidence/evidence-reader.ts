import { createReadStream, existsSync } from "node:fs";
import type { Exchange } from "../core/exchange/exchange.ts";
import { compileSchema } from "../schemas/validator.ts";
import { digestLine, type EvidenceEnd, type EvidenceHeader } from "./evidence-line.ts";

/** A saved run. */
export interface Evidence {
  readonly header: EvidenceHeader;
  /** By sequence number. */
  readonly exchanges: readonly Exchange[];
  /** null when the log was not closed in order. */
  readonly end: EvidenceEnd | null;
  /** What is wrong with the log although it can be read. */
  readonly problems: readonly EvidenceProblem[];
}

export interface EvidenceProblem {
  /** From 1. */
  readonly line: number;
  readonly kind:
    /** The last line was cut, as a killed process leaves it. */
    | "cut-line"
    /** No end line: the process ended before it closed the log. */
    | "no-end"
    /** The digest does not match the line before: something was changed, removed or inserted. */
    | "chain-broken"
    | "count-differs"
    | "repeated-seq";
  readonly message: string;
}

/** The log cannot be used. */
export class EvidenceError extends Error {
  readonly path: string;
  /** From 1; null when the file as a whole is meant. */
  readonly line: number | null;

  constructor(path: string, line: number | null, message: string) {
    super(`${path}${line === null ? "" : `:${line}`}: ${message}`);
    this.name = "EvidenceError";
    this.path = path;
    this.line = line;
  }
}

/** Reads a whole log; throws an `EvidenceError` when it is no log, is of another version, or a line in its midst is broken. */
export async function readEvidence(path: string): Promise<Evidence> {
  let header: EvidenceHeader | null = null;
  const exchanges: Exchange[] = [];
  let end: EvidenceEnd | null = null;
  const problems: EvidenceProblem[] = [];
  let lines = 0;
  for await (const entry of readEntries(path)) {
    lines = entry.line;
    if (entry.problem) problems.push(entry.problem);
    if (entry.kind === "header") header = entry.content;
    else if (entry.kind === "end") end = entry.content;
    else if (entry.kind === "exchange") exchanges.push(entry.content);
  }
  if (header === null) throw new EvidenceError(path, null, "the file is empty");
  if (end === null)
    problems.push({ line: lines, kind: "no-end", message: "the log was not closed: the run did not end in order" });
  else if (end.exchanges !== exchanges.length) {
    const message = `the end line counts ${end.exchanges} exchanges, the log holds ${exchanges.length}`;
    problems.push({ line: lines, kind: "count-differs", message });
  }
  exchanges.sort((a, b) => a.seq - b.seq);
  const repeated = exchanges.find((exchange, index) => index > 0 && exchange.seq === exchanges[index - 1]?.seq);
  if (repeated) problems.push({ line: lines, kind: "repeated-seq", message: `#${repeated.seq} occurs more than once` });
  return { header, exchanges, end, problems };
}

/** One line as read. */
export type EvidenceEntry = { readonly line: number; readonly problem: EvidenceProblem | null } & (
  | { readonly kind: "header"; readonly content: EvidenceHeader }
  | { readonly kind: "exchange"; readonly content: Exchange }
  | { readonly kind: "end"; readonly content: EvidenceEnd }
  | { readonly kind: "cut" }
);

/** Reads a log line by line, in file order, without holding more than one line. */
export async function* readEntries(path: string): AsyncGenerator<EvidenceEntry> {
  if (!existsSync(path)) throw new EvidenceError(path, null, "there is no such file");
  const check = compileSchema("evidence.schema");
  let prev: string | null = null;
  let line = 0;
  for await (const { bytes, complete } of readLines(path)) {
    line += 1;
    const value = parseLine(bytes);
    if (value === undefined) {
      if (complete || line === 1) throw new EvidenceError(path, line, "the line is not JSON");
      yield { line, kind: "cut", problem: { line, kind: "cut-line", message: "the last line is cut and was left out" } };
      return;
    }
    checkVersion(path, line, value);
    const [problem] = check(value);
    if (problem) throw new EvidenceError(path, line, `not a line of evidence: ${problem.pointer || "/"} ${problem.message}`);
    const { prev: claimed, ...content } = value as { readonly prev: string | null } & Record<string, unknown>;
    const broken = claimed !== prev;
    const chain: EvidenceProblem | null = broken
      ? { line, kind: "chain-broken", message: "the digest does not match the line before: the log was changed" }
      : null;
    prev = digestLine(bytes);
    const first = content["kind"] === "header";
    if (first !== (line === 1)) throw new EvidenceError(path, line, first ? "a second header" : "the first line is not a header");
    const kind = first ? "header" : content["kind"] === "end" ? "end" : "exchange";
    yield { line, problem: chain, kind, content } as unknown as EvidenceEntry;
  }
}

function checkVersion(path: string, line: number, value: unknown): void {
  const version =
    line === 1 && typeof value === "object" && value !== null && "schemaVersion" in value ? value.schemaVersion : "1.0";
  if (typeof version !== "string" || !version.startsWith("1.")) {
    throw new EvidenceError(path, line, `evidence of version ${JSON.stringify(version)}: this program reads version 1`);
  }
}

function parseLine(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

/** Lines as bytes, so that their digests are those of the file; `complete` says whether a line feed ended it. */
async function* readLines(path: string): AsyncGenerator<{ readonly bytes: Buffer; readonly complete: boolean }> {
  let rest: Buffer[] = [];
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, start)) {
      const piece = chunk.subarray(start, at);
      yield { bytes: rest.length === 0 ? piece : Buffer.concat([...rest, piece]), complete: true };
      rest = [];
      start = at + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  if (rest.length > 0) yield { bytes: Buffer.concat(rest), complete: false };
}
