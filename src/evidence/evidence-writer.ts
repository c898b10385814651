import type { Exchange } from "../core/exchange/exchange.ts";
import { visibleJson } from "../core/exchange/bodies/visible-json.ts";
import type { ChainHead } from "../core/result/chain-head.ts";
import { ChainWriter } from "./chain-writer.ts";
import type { EvidenceEnd, EvidenceHeader } from "./evidence-line.ts";

/** Appends exchanges to `evidence.ndjson` while the run goes. */
export interface EvidenceWriter {
  /** Queues one line. False when the disk lags behind by more than 16 MiB: wait for `drained` before sending more. */
  append(exchange: Exchange): boolean;
  /** Settles when everything queued so far is in the file; rejects when it could not be written. */
  drained(): Promise<void>;
  /** Writes what is queued at once, without the event loop: for the last moment of a process. Safe to call at any time. */
  flushSync(): void;
  /** Writes the end line and closes; further calls do nothing. */
  close(end: { readonly interrupted: boolean }): Promise<void>;
  /** The same without the event loop. */
  closeSync(end: { readonly interrupted: boolean }): void;
  /** The head over all lines that were appended until now. */
  head(): ChainHead;
  readonly exchanges: number;
}

/** Creates the file, which must not exist yet, and writes the header. Throws the error of the file system. */
export function createEvidenceWriter(path: string, header: EvidenceHeader): EvidenceWriter {
  const chain = new ChainWriter(path);
  let exchanges = 0;
  let closed = false;
  const end = ({ interrupted }: { readonly interrupted: boolean }): void => {
    if (!closed) chain.append(visibleJson({ kind: "end", exchanges, interrupted } satisfies EvidenceEnd));
    closed = true;
  };
  chain.append(visibleJson(header));
  return {
    append(exchange) {
      if (closed) return true;
      exchanges += 1;
      return chain.append(visibleJson(exchange));
    },
    drained: () => chain.drained(),
    flushSync: () => chain.flushSync(),
    async close(how) {
      end(how);
      await chain.close();
    },
    closeSync(how) {
      end(how);
      chain.closeSync();
    },
    head: () => chain.head(),
    get exchanges() {
      return exchanges;
    },
  };
}
