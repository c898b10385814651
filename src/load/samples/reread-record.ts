import type { ServiceLevel } from "../profile/load-profile.ts";
import { isProvoked, type Stalls } from "./is-provoked.ts";
import type { LoadRecord } from "./load-record.ts";
import { RejudgedRecord, shortestMs } from "./rejudged-record.ts";
import type { ArrivalGroup } from "./stream-progress.ts";

/** How late this machine itself can have been, in ms; Infinity where nobody looked. */
export interface LoopDelays extends Stalls {
  /** Of a reading at this instant. */
  at(atMs: number): number;
  /** The same of any instant of a second. */
  isStalledIn(second: number): boolean;
  /** All delays of the seconds from one instant to the other together, at most. */
  heldMs(fromMs: number, toMs: number): number;
  /** The longest of all. */
  readonly mostMs: number;
}

/** An end of what the times of a request can have been. */
export type Extreme = "shortest" | "longest";

/**
 * A request with each of its times as short, or as long, as it can have been for a machine that was late by no more than this. Bytes
 * may have arrived that much before they were read, and never later. So times from the send are no longer than the truth in "shortest", and
 * as they were read in "longest". A time between two arrivals is shorter where the later one was read late, and longer where the earlier
 * one was. Each time is at its own end: all of them together need not be possible.
 */
export function rereadRecord(record: LoadRecord, extreme: Extreme, delays: LoopDelays, slo: ServiceLevel): LoadRecord {
  return extreme === "shortest" ? new ShortestRecord(record, delays, slo) : new LongestRecord(record, delays, slo);
}

abstract class RereadRecord extends RejudgedRecord {
  protected readonly delays: LoopDelays;

  constructor(record: LoadRecord, delays: LoopDelays, slo: ServiceLevel) {
    super(record, slo);
    this.delays = delays;
  }

  /** Of all that was read of its stream. */
  protected get streamDelayMs(): number {
    return this.delays.within(this.record.firstTokenMs ?? this.record.sentMs, this.record.answeredMs);
  }

  /** `byMs`: how much longer the time from the first token to the last was. */
  protected tokenTime(byMs: number): number | null {
    const { tpotMs, firstTokenMs, answeredMs } = this.record;
    const spanMs = answeredMs - (firstTokenMs ?? answeredMs);
    return tpotMs === null || spanMs <= 0 ? tpotMs : (tpotMs * Math.max(0, spanMs + byMs)) / spanMs;
  }
}

class ShortestRecord extends RereadRecord {
  /**
   * This machine may not have come to read an answer in time, or have sent so much at once, or so slowly, that it was refused: nobody knows how the
   * request would have ended.
   */
  override get outcome(): LoadRecord["outcome"] {
    const { outcome, endMs } = this.record;
    const isGivenUp = outcome === "timed-out" && this.delays.isStalled(endMs);
    return isGivenUp || this.#isProvoked ? "interrupted" : outcome;
  }

  override get status(): number | null {
    return this.#isProvoked ? null : this.record.status;
  }

  override get notSent(): LoadRecord["notSent"] {
    return this.#isProvoked ? null : this.record.notSent;
  }

  override get maybeGood(): boolean {
    return this.#isProvoked || super.maybeGood;
  }

  get #isProvoked(): boolean {
    return isProvoked(this.record, this.delays);
  }

  /** Nothing was late: what the generator took before the send is no wait of a user. A target made the user wait for what was sent again. */
  override get intendedMs(): number {
    const { attempt, issuedMs, intendedMs } = this.record;
    if (attempt === 1) return issuedMs;
    return Math.min(issuedMs, intendedMs + this.delays.at(intendedMs) + this.delays.at(issuedMs));
  }

  override get firstByteMs(): number | null {
    // A refusal begins like no answer.
    return this.status !== this.record.status ? null : this.#earlierOrNull(this.record.firstByteMs);
  }

  override get firstEventMs(): number | null {
    return this.#earlierOrNull(this.record.firstEventMs);
  }

  override get firstTokenMs(): number | null {
    return this.#earlierOrNull(this.record.firstTokenMs);
  }

  override get firstOutputMs(): number | null {
    return this.#earlierOrNull(this.record.firstOutputMs);
  }

  override get answeredMs(): number {
    const { outcome, answeredMs, sentMs } = this.record;
    // Of one that was given up it is the begin of the gap that was open.
    if (outcome === "timed-out") return answeredMs;
    return Math.max(this.#earlier(answeredMs), Math.min(answeredMs, sentMs + shortestMs));
  }

  override get endMs(): number {
    return this.#earlier(this.record.endMs);
  }

  override get longestGapMs(): number | null {
    const { longestGapMs } = this.record;
    return longestGapMs === null ? null : (this.longestKeptGapMs ?? Math.max(0, longestGapMs - this.streamDelayMs));
  }

  override get tpotMs(): number | null {
    return this.tokenTime(-this.delays.at(this.record.answeredMs));
  }

  protected override gap(groups: readonly ArrivalGroup[], at: number): number {
    return Math.max(0, gapBefore(groups, at) - this.delays.at(groups[at]?.atMs ?? 0));
  }

  #earlier(atMs: number): number {
    return Math.max(this.record.sentMs, atMs - this.delays.at(atMs));
  }

  #earlierOrNull(atMs: number | null): number | null {
    return atMs === null ? null : this.#earlier(atMs);
  }
}

class LongestRecord extends RereadRecord {
  override get longestGapMs(): number | null {
    const { longestGapMs } = this.record;
    if (longestGapMs === null) return null;
    return this.longestKeptGapMs ?? longestGapMs + Math.max(this.#firstDelayMs, Math.min(longestGapMs, this.streamDelayMs));
  }

  override get tpotMs(): number | null {
    return this.tokenTime(this.#firstDelayMs);
  }

  /** A read empties its socket: an arrival after another one of the stream came after that had been read. */
  protected override gap(groups: readonly ArrivalGroup[], at: number): number {
    const before = at === 1 ? this.#firstDelayMs : Math.min(gapBefore(groups, at - 1), this.delays.at(groups[at - 1]?.atMs ?? 0));
    return gapBefore(groups, at) + before;
  }

  /** How late the first token can have been read: by the delays of the loop, and by the turn of it in which that was done. */
  get #firstDelayMs(): number {
    const { sentMs, firstTokenMs, firstTokenEarliestMs } = this.record;
    if (firstTokenMs === null) return 0;
    return firstTokenMs - Math.max(sentMs, firstTokenEarliestMs ?? sentMs, firstTokenMs - this.delays.at(firstTokenMs));
  }
}

function gapBefore(groups: readonly ArrivalGroup[], at: number): number {
  return (groups[at]?.atMs ?? 0) - (groups[at - 1]?.atMs ?? 0);
}
