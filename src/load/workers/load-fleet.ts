import type { Clock } from "../../core/clock.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { OnProgress } from "../../core/progress.ts";
import type { LedgerSink } from "../ledger/ledger-sink.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { ShareResult } from "./share-result.ts";
import type { AgentFacts } from "../ledger/ledger-line.ts";
import type { TraceEntry } from "../arrivals/read-trace.ts";

/** Several loops, in threads or on machines of their own, that send one profile together. */
export interface LoadFleet {
  readonly loops: number;
  /**
   * Starts all loops at one instant of the run clock; every one sends its share of the same schedule. Resolves with what each
   * measured, in order. Rejects when a loop failed by a fault of ours; the others are then ended.
   */
  measure(order: FleetOrder): Promise<readonly ShareResult[]>;
  /** Of the machines that measured last; absent: this one. */
  readonly agents?: () => readonly AgentFacts[];
}

export interface FleetOrder {
  /** With the name of the key that is really used. */
  readonly profile: LoadProfile;
  readonly manifest: Manifest;
  readonly clock: Clock;
  readonly seed: number;
  readonly trace: readonly TraceEntry[] | null;
  /** What the target may be sent in a second by all loops together. */
  readonly allowance?: SharedArrayBuffer | null;
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
  /** What the loops measure is handed over here, too, as it comes. */
  readonly ledger?: LedgerSink;
}
