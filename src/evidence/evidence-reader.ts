import { existsSync } from "node:fs";
import type { Exchange } from "../core/exchange/exchange.ts";
import { tryJson } from "../core/exchange/bodies/recorded-json.ts";
import { compileSchema } from "../schemas/validator.ts";
import type { ChainHead } from "../core/result/chain-head.ts";
import { digestLine } from "./chain-writer.ts";
import type { EvidenceEnd, EvidenceHeader } from "./evidence-line.ts";
import { readLines, type LineSource } from "./read-lines.ts";

/** A saved run. */
export interface Evidence {
  readonly header: EvidenceHeader;
  /** By sequence number. */
  readonly exchanges: readonly Exchange[];
  /** null when the log was not closed in order. */
  readonly end: EvidenceEnd | null;
  /** Of the whole lines that are there. */
  readonly head: ChainHead;
  /** The faults of a log that can be read. */
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

/** Reads a whole log, by its path or from `source`; throws an `EvidenceError` when it is no log, is of another version, or a line in its midst is broken. */
export async function readEvidence(path: string, source: LineSource = path): Promise<Evidence> {
  let header: EvidenceHeader | null = null;
  const exchanges: Exchange[] = [];
  let end: EvidenceEnd | null = null;
  const problems: EvidenceProblem[] = [];
  let lines = 0;
  let head: ChainHead = { lines: 0, sha256: "" };
  for await (const entry of readEntries(path, source)) {
    lines = entry.line;
    if (entry.kind !== "cut") head = { lines, sha256: entry.sha256 };
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
  return { header, exchanges, end, head, problems };
}

/** One line as read. */
export type EvidenceEntry = { readonly line: number; readonly problem: EvidenceProblem | null } & (
  | { readonly kind: "header"; readonly sha256: string; readonly content: EvidenceHeader }
  | { readonly kind: "exchange"; readonly sha256: string; readonly content: Exchange }
  | { readonly kind: "end"; readonly sha256: string; readonly content: EvidenceEnd }
  | { readonly kind: "cut" }
);

/** Reads a log line by line, in file order, without holding more than one line. */
export async function* readEntries(path: string, source: LineSource = path): AsyncGenerator<EvidenceEntry> {
  if (source === path && !existsSync(path)) throw new EvidenceError(path, null, "there is no such file");
  const check = compileSchema("evidence.schema");
  let prev: string | null = null;
  let line = 0;
  for await (const { bytes, complete } of readLines(source)) {
    line += 1;
    const value = tryJson(bytes.toString("utf8"));
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
    yield { line, problem: chain, kind, sha256: prev, content } as unknown as EvidenceEntry;
  }
}

function checkVersion(path: string, line: number, value: unknown): void {
  const version =
    line === 1 && typeof value === "object" && value !== null && "schemaVersion" in value ? value.schemaVersion : "1.0";
  if (typeof version !== "string" || !version.startsWith("1.")) {
    throw new EvidenceError(path, line, `evidence of version ${JSON.stringify(version)}: this program reads version 1`);
  }
}
