import type { PassiveCounts } from "../../conformance/verdict/passive-validator.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { LoadStep } from "../../core/result/load-result.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { ProgressEvent } from "../../core/progress.ts";
import type { LimitOp } from "../../limits/history/op.ts";
import type { EarlyEnd } from "../../load/samples/early-end.ts";
import type { LoadProfile } from "../../load/profile/load-profile.ts";
import type { LoadRecord } from "../../load/samples/load-record.ts";
import type { ShareResult } from "../../load/ledger/share-result.ts";
import type { TriedLevel } from "../../load/judge/summarize-step.ts";
import type { TraceEntry } from "../../load/arrivals/traces/trace-entry.ts";
import type { Share } from "../../load/arrivals/share.ts";
import type { ClockOrigin } from "./align-clock.ts";
import type { LoadSample } from "./load-sampler.ts";

/** The order to a worker when its thread starts. Memory is shared with all other workers of the run. */
export interface WorkerOrder extends ClockOrigin {
  readonly profile: LoadProfile;
  readonly manifest: Manifest;
  readonly seed: number;
  readonly trace: readonly TraceEntry[] | null;
  readonly share: Share;
  /** Counters of the budget. */
  readonly budget: SharedArrayBuffer;
  /** Last sequence number of the run. */
  readonly seq: SharedArrayBuffer;
  readonly hold: SharedArrayBuffer;
  /** The sends a second that the target permits; null: any number. */
  readonly allowance: SharedArrayBuffer | null;
  /** The sample that is handed over as evidence. */
  readonly evidence: LoadSample;
  /** Whether answers are validated and requests handed to the limit monitor. */
  readonly judged: boolean;
  /** Whether what is measured is handed over for a ledger, too. */
  readonly ledger: boolean;
}

export type ToWorker =
  /** Sending begins at this instant of the run clock. */
  | { readonly kind: "start"; readonly startMs: number }
  | { readonly kind: "interrupt" }
  /** All workers are ready for a rate of a search, which begins at this instant of the run clock. */
  | { readonly kind: "rate-begins"; readonly startMs: number }
  /** The verdict over the records of all workers. */
  | { readonly kind: "rate-judged"; readonly judged: LoadStep }
  /** Another worker ended the profile. */
  | { readonly kind: "stop"; readonly reason: EarlyEnd };

export type FromWorker =
  /** Connections are open, judges loaded. */
  | { readonly kind: "ready" }
  | { readonly kind: "progress"; readonly event: Extract<ProgressEvent, { kind: "load" }> }
  | { readonly kind: "seen"; readonly exchanges: readonly Exchange[]; readonly ops: readonly LimitOp[] }
  /** A line for the ledger. */
  | { readonly kind: "ledger"; readonly json: string }
  | { readonly kind: "stopped"; readonly reason: EarlyEnd }
  /** The last send is due, or the share has ended. */
  | { readonly kind: "sent" }
  | { readonly kind: "rate-ready" }
  /** The figures of this worker at a rate; arrival groups are left out. */
  | { readonly kind: "rate-tried"; readonly probed: TriedLevel }
  /** A part of the records, before `measured`: one message would need them all twice. */
  | { readonly kind: "records"; readonly records: readonly LoadRecord[] }
  | {
      readonly kind: "measured";
      readonly result: Omit<ShareResult, "records">;
      readonly passive: PassiveCounts | null;
      readonly transportRaces: number;
    };
