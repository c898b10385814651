export interface GeneratorHealth {
  /** Event loops that sent the profile, each in a thread of its own; absent: one. The figures below are those of the worst. */
  readonly loops?: number;
  /** Machines that sent the profile; absent: this one. */
  readonly agents?: readonly AgentHealth[];
  /** Null: nobody looked at the loop. */
  readonly loopUtilization: number | null;
  readonly loopDelayMaxMs: number | null;
  readonly dispatchDelayP99Ms: number | null;
  readonly achievedOverAsked: number | null;
  /** |L - lambda W| / L; near 0 when the bookkeeping is sound. */
  readonly littleDiscrepancy: number | null;
  readonly runDelayMs: number | null;
  readonly taintedSeconds: number;
  /** Tainted seconds that others took the place of, measured at the end; absent: none. */
  readonly replacedSeconds?: number;
  /** Widest interval (99th percentile) within which a first token had arrived: what a figure cannot be finer than. */
  readonly firstTokenIntervalP99Ms?: number | null;
}

/** One of several machines that sent a profile together. */
export interface AgentHealth {
  readonly name: string;
  /** Null when it was lost before its clock was known. */
  readonly clock: AgentClock | null;
  /** The rates that one loop of it reaches at 70 % utilisation, by its own calibration. */
  readonly ceiling: { readonly requestsPerSecond: number; readonly eventsPerSecond: number };
  /** Why nothing was heard of it any more; null when it reported to the end. */
  readonly lost: string | null;
  /** Attempts that it sent, and those that were answered well. */
  readonly sent: number;
  readonly ok: number;
  readonly sentPerSecond: number;
  /** Null: it was lost before it looked at its loop. */
  readonly loopUtilization: number | null;
  readonly loopDelayMaxMs: number | null;
}

/** The bounds of the clock of an agent: the run clock of the coordinator is ahead of it by something inside. */
export interface AgentClock {
  readonly lowMs: number;
  readonly highMs: number;
  /** By how much an instant of this agent may be wrong on the run clock, at most until now. */
  readonly errorMs: number;
  readonly exchanges: number;
  /** Exchanges that contradicted those before them. */
  readonly contradictions: number;
}

/** The facts about the error of the machines that send a load. */
export interface InstrumentAccuracy {
  /** Null: it is not known. */
  readonly calibration: CalibrationResult | null;
  /** Why it is not known: gates that rest on it are not judged. Absent: it is known, nothing was sent, or the result is older. */
  readonly uncalibrated?: string;
}

/** Error of this machine, measured against the reference service's own clock just before the load. */
export interface CalibrationResult {
  readonly ttftErrorMs: ErrorSpread;
  readonly eventErrorMs: ErrorSpread;
  readonly interTokenErrorMs: ErrorSpread;
  /** Error of the mean gap of a stream. Absent in older results. */
  readonly tpotErrorMs?: ErrorSpread;
  /** Share of events whose true instant lay in the stamped interval. */
  readonly intervalCoverage: number;
  /** Share of events that were stamped no earlier than they were sent: anything below 1 is a fault of the instrument. */
  readonly upperBoundHeld: number;
  /** Doubts about this machine that concern every figure. Absent in older results. */
  readonly doubts?: readonly string[];
  /** The rates that this process reaches at 70 % loop utilisation, extrapolated from its busy time in the calibration. */
  readonly ceiling: { readonly requestsPerSecond: number; readonly eventsPerSecond: number; readonly streams: number };
  readonly durationMs: number;
}

/** Percentiles are null below the sample floor. Without any sample nothing is known, and `max` is absent. */
export interface ErrorSpread {
  readonly p50: number | null;
  readonly p99: number | null;
  readonly samples: number;
  /** Absent in older results. */
  readonly p95?: number | null;
  readonly max?: number;
}
