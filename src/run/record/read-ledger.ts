import { ChainError, readChain } from "../../evidence/chain-reader.ts";
import type { LineSource } from "../../evidence/read-lines.ts";
import type { ChainHead } from "../../core/result/chain-head.ts";
import { ColumnError } from "../../core/columns/column.ts";
import { describeFault } from "../verdict/describe-fault.ts";
import { noLoad, type MeasuredLoad } from "../verdict/find-load-findings.ts";
import { LedgerJudge } from "./ledger-judge.ts";
import type { LoadLine } from "./ledger-file.ts";

export interface ReadLedger {
  /** The measurements that follow from the lines that could be read. */
  readonly load: MeasuredLoad;
  readonly head: ChainHead;
  /** The faults of the file, with the line. */
  readonly problems: readonly string[];
  /** Whether a line is not the one that was written after the line before. */
  readonly isEdited: boolean;
}

/** Reads `load.ndjson` and judges it. A file that was changed gives what it holds, and what is wrong with it; never throws for that. */
export async function readLedger(source: LineSource, { strict }: { readonly strict: boolean }): Promise<ReadLedger> {
  const judge = new LedgerJudge({ strict });
  const problems: string[] = [];
  let [ended, isEdited] = [false, false];
  let head: ChainHead = { lines: 0, sha256: "" };
  try {
    const read = await readChain(source, ({ line, value, sha256, broken }) => {
      head = { lines: line, sha256 };
      isEdited ||= broken;
      if (broken) problems.push(`line ${line}: the digest does not match the line before: it was changed`);
      if ((value["kind"] === "header") !== (line === 1))
        throw new ColumnError("the header line is missing or is not the first line");
      if (line === 1 && value["schemaVersion"] !== "1.0")
        throw new ColumnError(`it is of version ${String(value["schemaVersion"])}`);
      ended = value["kind"] === "end";
      judge.take(value as unknown as LoadLine);
    });
    if (read.cut) problems.push(`line ${head.lines + 1}: the last line is cut`);
    if (!ended) problems.push("it was not closed: the run did not end in order");
    return { load: judge.finish(), head, problems, isEdited };
  } catch (error) {
    // Lines are data of the author of the file: a shape that no run writes is a fault of the file, wherever it shows.
    const line = error instanceof ChainError ? error.line : head.lines;
    return { load: noLoad, head, problems: [...problems, `line ${line}: ${describeFault(error)}`], isEdited };
  }
}
