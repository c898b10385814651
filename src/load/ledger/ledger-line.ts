import type { AgentHealth } from "../../core/result/generator-health.ts";
import type { HealthSecond } from "../generator/generator-health.ts";
import type { AutocannonRun } from "../generator/cross-check.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { OverflowLine } from "./overflow-line.ts";
import type { SaidLine } from "./said-log.ts";
import type { ShareResult } from "./share-result.ts";
import type { RecordColumns } from "./record-columns.ts";

/**
 * One line of `load.ndjson` about a load profile, without its `prev`. The lines of a worker stand between `profile` and
 * `measured` of its profile, in the order in which it saw their events. The result of a profile follows from these lines alone.
 */
export type LedgerLine =
  | ProfileLine
  /** A worker begins: start of the schedule and of the measured window on the run clock. */
  | { readonly kind: "start"; readonly loop: number; readonly startMs: number; readonly fromMs: number }
  /** Finished attempts, by the order of completion. */
  | { readonly kind: "records"; readonly loop: number; readonly rows: number; readonly columns: RecordColumns }
  | { readonly kind: "health"; readonly loop: number; readonly samples: readonly HealthSecond[] }
  | OverflowLine
  | SaidLine
  | ShareLine
  | MeasuredLine;

/** Its gates as they were written: what they mean is read from that. */
export type WrittenProfile = Omit<LoadProfile, "gates"> & { readonly gates: readonly string[] };

export interface ProfileLine {
  readonly kind: "profile";
  /** As it was sent: defaults filled in, its key named, prompts of datasets left out. */
  readonly profile: WrittenProfile;
  /** The description of the workload. */
  readonly workload: string;
  readonly seed: number;
  readonly virtualTime: boolean;
  /** Workers in threads of their own; null: it was sent by the one of the run. */
  readonly loops: number | null;
}

/** A worker has ended; what of its share is in no record. */
export type ShareLine = Omit<ShareResult, "records" | "overflow" | "health" | "startMs" | "fromMs"> & {
  readonly kind: "share";
  readonly loop: number;
};

/** A profile has ended; what was measured beside its requests. */
export interface MeasuredLine {
  readonly kind: "measured";
  /** Growth of the tokens that the target reports, null where it could not be read; absent: not asked. */
  readonly reportedTokens?: number | null;
  /** By connections that were opened before the load; absent: none were. */
  readonly roundTripsMs?: readonly number[];
  /** Absent: the profile asks for none. */
  readonly cacheAudit?: readonly AuditedAnswer[];
  /** Absent: the profile asks for none. */
  readonly crossCheck?: AutocannonRun | { readonly skipped: string };
  /** Machines that sent the shares, in their order; absent: this one sent them all. */
  readonly agents?: readonly AgentFacts[];
}

/** One request of the audit for a cache of responses. */
export interface AuditedAnswer {
  /** Number of the prompt. */
  readonly prompt: number;
  readonly isRepeat: boolean;
  /** On the run clock; null: it was not answered. */
  readonly sentMs: number;
  readonly answeredMs: number | null;
  /** Fields that caches set: `age: 12`, `x-cache: HIT`. */
  readonly cacheFields: readonly string[];
  /** Of the answer; null where it has none. */
  readonly id: string | null;
  readonly created: number | null;
  readonly outputTokens: number | null;
}

/** The facts about an agent that are in no record. */
export type AgentFacts = Pick<AgentHealth, "name" | "clock" | "ceiling" | "lost">;
