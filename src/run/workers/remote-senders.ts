import type { PassiveCounts } from "../../conformance/verdict/passive-validator.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { CalibrationResult } from "../../core/result/generator-health.ts";
import type { LimitOp } from "../../limits/history/op.ts";
import type { LoadWorkers } from "../../load/workers/load-workers.ts";
import type { BudgetCounters } from "../../wire/budget/budget-counters.ts";
import type { LoadSample } from "./load-sampler.ts";

/** Other machines that send the load profiles of a run. */
export interface RemoteSenders {
  /** The name and the calibration of each machine. */
  readonly machines: readonly { readonly name: string; readonly calibration: CalibrationResult }[];
  createWorkers(ends: SenderEnds): LoadWorkers;
}

/** The parts of a run that remote senders count in and report to. */
export interface SenderEnds {
  readonly version: string;
  /** Counters of the budget of the run. */
  readonly counters: BudgetCounters;
  /** Last sequence number of the run. */
  readonly seq: Int32Array;
  readonly evidence: LoadSample;
  readonly onExchange: (exchange: Exchange) => void;
  readonly onOp: (op: LimitOp) => void;
  readonly onPassive: (counts: PassiveCounts) => void;
  readonly onTransportRaces: (count: number) => void;
}
