import type { TraceEntry } from "../arrivals/traces/trace-entry.ts";
import type { AgentFacts } from "../ledger/ledger-line.ts";
import type { ShareInput } from "./measure-share.ts";
import type { ShareResult } from "../ledger/share-result.ts";

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

/** The load that all of them send together. */
export interface WorkOrder extends Pick<
  ShareInput,
  "profile" | "manifest" | "clock" | "seed" | "allowance" | "signal" | "onProgress" | "onSent" | "ledger"
> {
  readonly trace: readonly TraceEntry[] | null;
}
