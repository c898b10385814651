import type { ServiceLevel } from "../profile/load-profile.ts";
import type { LoadRecord } from "./load-record.ts";
import { RejudgedRecord, shortestMs } from "./rejudged-record.ts";
import type { Extreme } from "./reread-record.ts";
import type { ArrivalGroup } from "./stream-progress.ts";

/** The error of the instrument in ms. */
export interface InstrumentError {
  /** Of the beginning of an answer. */
  readonly firstMs: number;
  /** Of whatever arrives. */
  readonly eventMs: number;
  readonly gapMs: number;
  /** Of the mean gap of a stream. */
  readonly meanMs: number;
}

/** A request with each of its times shorter, or longer, than it was read by the whole error of the instrument. */
export function shiftRecord(record: LoadRecord, extreme: Extreme, error: InstrumentError, slo: ServiceLevel): LoadRecord {
  return new ShiftedRecord(record, extreme === "shortest" ? -1 : 1, error, slo);
}

class ShiftedRecord extends RejudgedRecord {
  readonly #sign: -1 | 1;
  readonly #error: InstrumentError;

  constructor(record: LoadRecord, sign: -1 | 1, error: InstrumentError, slo: ServiceLevel) {
    super(record, slo);
    this.#sign = sign;
    this.#error = error;
  }

  override get firstByteMs(): number | null {
    return this.#shiftFirst(this.record.firstByteMs);
  }

  override get firstEventMs(): number | null {
    return this.#shiftFirst(this.record.firstEventMs);
  }

  override get firstTokenMs(): number | null {
    return this.#shiftFirst(this.record.firstTokenMs);
  }

  override get firstOutputMs(): number | null {
    return this.#shiftFirst(this.record.firstOutputMs);
  }

  /** A deadline of ours ends a request when it ends it. */
  override get answeredMs(): number {
    const { outcome, answeredMs } = this.record;
    return outcome === "timed-out" ? answeredMs : this.#shift(answeredMs, this.#error.eventMs);
  }

  override get endMs(): number {
    const { outcome, endMs } = this.record;
    return outcome === "timed-out" ? endMs : this.#shift(endMs, this.#error.eventMs);
  }

  override get longestGapMs(): number | null {
    const { longestGapMs } = this.record;
    return longestGapMs === null ? null : (this.longestKeptGapMs ?? this.#change(longestGapMs, this.#error.gapMs));
  }

  override get tpotMs(): number | null {
    const { tpotMs } = this.record;
    return tpotMs === null ? null : this.#change(tpotMs, this.#error.meanMs);
  }

  protected override gap(groups: readonly ArrivalGroup[], at: number): number {
    return this.#change((groups[at]?.atMs ?? 0) - (groups[at - 1]?.atMs ?? 0), this.#error.gapMs);
  }

  #shiftFirst(atMs: number | null): number | null {
    return atMs === null ? null : this.#shift(atMs, this.#error.firstMs);
  }

  /** Nothing arrives before the request has left, and no answer took less than the unit of its instants. */
  #shift(atMs: number, byMs: number): number {
    const { sentMs } = this.record;
    return Math.max(Math.min(atMs, sentMs + shortestMs), atMs + this.#sign * byMs);
  }

  #change(lengthMs: number, byMs: number): number {
    return Math.max(0, lengthMs + this.#sign * byMs);
  }
}
