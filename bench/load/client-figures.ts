/** One measurement, in a process of its own. */
export interface ClientFigures extends Measured {
  /** Of this process, all threads. */
  readonly cpuMicroseconds: number;
  /** Time in which the loop was not idle. */
  readonly activeMs: number;
  readonly loopUtilization: number;
  readonly residentBytes: number;
}

export interface Measured {
  readonly items: number;
  readonly seconds: number;
  /** Late stamps of arrivals; of streams whose events tell their true instants. */
  readonly errorMs: Spread;
  /** Of the time to the first event. */
  readonly firstErrorMs: Spread;
  /** Distance of the middle of the interval from the true instant. */
  readonly intervalErrorMs: Spread;
  readonly boundsHeld: { readonly upper: number; readonly lower: number } | null;
  readonly note: string;
}

export interface Spread {
  readonly p50: number | null;
  readonly p99: number | null;
}

export type Measure = (connections: number, seconds: number, url: string) => Promise<Measured>;

export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

export function spreadOf(values: readonly number[]): Spread {
  // Sorted once: a bench has hundreds of thousands.
  const sorted = Float64Array.from(values).sort();
  const at = (percent: number): number | null => sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? null;
  return { p50: at(50), p99: at(99) };
}

/** Errors of answers that tell no instants. */
export const unknownErrors: Pick<Measured, "errorMs" | "firstErrorMs" | "intervalErrorMs" | "boundsHeld"> = {
  errorMs: spreadOf([]),
  firstErrorMs: spreadOf([]),
  intervalErrorMs: spreadOf([]),
  boundsHeld: null,
};
