import { maskRecord } from "./mask-record.ts";
import { visibleJson } from "../../core/exchange/bodies/visible-json.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { RedactedManifest } from "../../core/manifest.ts";
import type { InstrumentAccuracy } from "../../core/result/generator-health.ts";
import { ChainWriter } from "../../evidence/chain-writer.ts";
import type { ChainHead } from "../../core/result/chain-head.ts";
import type { OpColumns } from "../../limits/history/op-columns.ts";
import type { LedgerLine } from "../../load/ledger/ledger-line.ts";
import type { LedgerSink } from "../../load/ledger/record-log.ts";
import type { PassiveCounts } from "../../conformance/verdict/passive-validator.ts";

/** One line of `load.ndjson`, without its `prev`. */
export type LoadLine =
  | {
      readonly kind: "header";
      readonly schemaVersion: "1.0";
      readonly runId: string;
      readonly tool: { readonly name: "assay"; readonly version: string };
    }
  | ({ readonly kind: "calibration" } & InstrumentAccuracy)
  /** Limits are watched from here on, for the profile that follows; the manifest is without secrets. */
  | { readonly kind: "watch"; readonly manifest: RedactedManifest }
  | { readonly kind: "ops"; readonly rows: number; readonly columns: OpColumns }
  /** Whole, where a spend cap is judged by what was bought. */
  | { readonly kind: "exchange"; readonly exchange: Exchange }
  /** A request of the probe of the profile. */
  | { readonly kind: "probe"; readonly exchange: Exchange }
  /** The limits of the profile were judged here: what comes after it was not seen. */
  | { readonly kind: "watched" }
  | LedgerLine
  /** The statements of judges about all answers under load, counted and in words; the lines "said" have them answer by answer. */
  | { readonly kind: "passive"; readonly counts: PassiveJson }
  | { readonly kind: "end"; readonly interrupted: boolean };

export type PassiveJson = Omit<PassiveCounts, "tallies" | "considered" | "account"> & {
  readonly account?: PassiveCounts["account"];
  readonly tallies: readonly (readonly [string, unknown])[];
  readonly considered: readonly (readonly [string, readonly (readonly [string, number])[]])[];
};

/** `load.ndjson` while a run goes. */
export interface LedgerFile {
  readonly write: (line: LoadLine) => void;
  /** The same for a line that is text already. */
  readonly sink: LedgerSink;
  readonly head: () => ChainHead;
  readonly close: (interrupted: boolean) => Promise<void>;
}

interface LedgerFileOptions {
  readonly header: Extract<LoadLine, { readonly kind: "header" }>;
  /** Masks all that is written: answers of load were masked quickly and not deeply. */
  readonly mask: (text: string) => string;
}

export function createLedgerFile(path: string, { header, mask }: LedgerFileOptions): LedgerFile {
  const chain = new ChainWriter(path);
  const sink: LedgerSink = (json) => {
    chain.append(json);
  };
  const write = (line: LoadLine): void => sink(visibleJson(line.kind === "ops" ? line : maskRecord(line, mask)));
  write(header);
  return {
    write,
    sink,
    head: () => chain.head(),
    async close(interrupted) {
      write({ kind: "end", interrupted });
      await chain.close();
    },
  };
}
