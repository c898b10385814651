import { isJsonObject, tryJson } from "../core/exchange/bodies/recorded-json.ts";
import type { ChainHead } from "../core/result/chain-head.ts";
import { digestLine } from "./chain-writer.ts";
import { readLines, type LineSource } from "./read-lines.ts";

/** One line of a chained file as read. */
export interface ChainEntry {
  /** From 1. */
  readonly line: number;
  readonly value: Readonly<Record<string, unknown>>;
  /** Digest of the line, which the next one holds. */
  readonly sha256: string;
  /** Its `prev` is not the digest of the line before. */
  readonly broken: boolean;
}

/** A line that cannot be read. */
export class ChainError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.name = "ChainError";
    this.line = line;
  }
}

export interface ReadChain {
  /** Of the whole lines that are there. */
  readonly head: ChainHead;
  /** The last line was cut, as a killed process leaves it. */
  readonly cut: boolean;
}

/** Hands every line to `take`, in order. Throws a ChainError for a line that is no JSON object, unless it is the last and was cut. */
export async function readChain(source: LineSource, take: (entry: ChainEntry) => void): Promise<ReadChain> {
  let head: ChainHead = { lines: 0, sha256: "" };
  for await (const { bytes, complete } of readLines(source)) {
    const line = head.lines + 1;
    const parsed = tryJson(bytes.toString("utf8"));
    if (!isJsonObject(parsed)) {
      if (complete) throw new ChainError(line, "the line is no JSON object");
      return { head, cut: true };
    }
    const { prev, ...value } = parsed;
    const sha256 = digestLine(bytes);
    const broken = prev !== (line === 1 ? null : head.sha256);
    head = { lines: line, sha256 };
    take({ line, value, sha256, broken });
  }
  return { head, cut: false };
}
