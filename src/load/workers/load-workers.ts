import type { Clock } from "../../core/clock.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { OnProgress } from "../../core/progress.ts";
import type { LedgerSink } from "../ledger/ledger-sink.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { ShareResult } from "./share-result.ts";
import type { AgentFacts } from "../ledger/ledger-line.ts";
import type { TraceEntry } from "../arrivals/read-trace.ts";

/** Several workers, in threads or on machines of their own, that send one profile together. */
export interface LoadWorkers {
  readonly count: number;
  /**
   * Starts all workers at one instant of the run clock; every one sends its share of the same schedule. Resolves with what each
   * measured, in order. Rejects when a worker failed by a fault of ours; the others are then ended.
   */
  measure(order: WorkOrder): Promise<readonly ShareResult[]>;
  /** Of the machines that measured last; absent: this one. */
  readonly agents?: () => readonly AgentFacts[];
}

export interface WorkOrder {
  /** With the name of the key that is really used. */
  readonly profile: LoadProfile;
  readonly manifest: Manifest;
  readonly clock: Clock;
  readonly seed: number;
  readonly trace: readonly TraceEntry[] | null;
  /** What the target may be sent in a second by all workers together. */
  readonly allowance?: SharedArrayBuffer | null;
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
  /** What the workers measure is handed over here, too, as it comes. */
  readonly ledger?: LedgerSink;
}
