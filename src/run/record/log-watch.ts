import type { Exchange } from "../../core/exchange/exchange.ts";
import type { RedactedManifest } from "../../core/manifest.ts";
import { readOp } from "../../limits/history/history.ts";
import type { LimitOp } from "../../limits/history/op.ts";
import { packOps, roundOp } from "../../limits/history/op-columns.ts";
import type { LimitWatch } from "../traffic/watch-limits.ts";
import { maskRecord } from "./mask-record.ts";
import type { LoadLine } from "./ledger-file.ts";

/** Requests in one line, at most. */
const mostRows = 256;

export interface LogWatchOptions {
  readonly watch: LimitWatch;
  readonly write: (line: LoadLine) => void;
  /** The manifest without secrets. */
  readonly manifest: RedactedManifest;
  /** Keeps secrets that a target sent back out of everything. */
  readonly mask: (text: string) => string;
  /** Exchanges are needed whole, not only as what a limiter saw. */
  readonly whole: boolean;
}

/** A watch whose traffic goes to the ledger, so that it can be judged again. */
export function logWatch({ watch, write, manifest, mask, whole }: LogWatchOptions): LimitWatch {
  let held: LimitOp[] = [];
  let ended = false;
  write({ kind: "watch", manifest });
  const flush = (): void => {
    if (held.length > 0) write({ kind: "ops", rows: held.length, columns: packOps(held) });
    held = [];
  };
  const onOp = (op: LimitOp): void => {
    const { headerProblems, retry } = op;
    const isPlain = headerProblems.length === 0 && retry === null;
    const rounded = roundOp(isPlain ? op : { ...op, ...maskRecord({ headerProblems, retry }, mask) });
    held.push(rounded);
    if (held.length === mostRows) flush();
    watch.onOp(rounded);
  };
  const onExchange = (seen: Exchange): void => {
    if (ended) return;
    const exchange = whole ? maskRecord(seen, mask) : seen;
    if (!whole) {
      const op = readOp(exchange);
      if (op !== null) onOp(op);
      return;
    }
    flush();
    write({ kind: "exchange", exchange });
    watch.onExchange(exchange);
  };
  return {
    onOp: (op) => {
      if (!ended) onOp(op);
    },
    onExchange,
    onProbe(seen) {
      if (ended) return;
      const exchange = maskRecord(seen, mask);
      flush();
      write({ kind: "probe", exchange });
      watch.onProbe(exchange);
    },
    finish() {
      if (!ended) {
        flush();
        write({ kind: "watched" });
      }
      ended = true;
      return watch.finish();
    },
  };
}
