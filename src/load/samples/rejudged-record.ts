import type { ServiceLevel } from "../profile/load-profile.ts";
import type { LoadRecord } from "./load-record.ts";
import { meetsLevel } from "./meets-level.ts";
import { RecordView } from "./record-view.ts";
import type { ArrivalGroup } from "./stream-progress.ts";

/** The instants of a record are whole microseconds: no answer took less. */
export const shortestMs = 0.001;

/** A record with other times, held to its service level by those. */
export abstract class RejudgedRecord extends RecordView {
  readonly #slo: ServiceLevel;

  constructor(record: LoadRecord, slo: ServiceLevel) {
    super(record);
    this.#slo = slo;
  }

  /** The time between two arrivals, of which the later one is the `at`th. */
  protected abstract gap(groups: readonly ArrivalGroup[], at: number): number;

  override get good(): boolean {
    return this.#level().good;
  }

  override get maybeGood(): boolean {
    return this.#level().maybeGood;
  }

  /** Only the times between them count, and the last: the others stand where these put them. */
  override get groups(): readonly ArrivalGroup[] {
    const { groups } = this.record;
    const reread = [...groups];
    for (let at = groups.length - 1; at > 0; at -= 1) {
      const [before, later] = [groups[at - 1], reread[at]];
      if (before !== undefined && later !== undefined) reread[at - 1] = { ...before, atMs: later.atMs - this.gap(groups, at) };
    }
    return reread;
  }

  #level(): Pick<LoadRecord, "good" | "maybeGood"> {
    const { stream, sentMs, intendedMs, firstEventMs, firstTokenMs, answeredMs, endMs } = this;
    const times = { sentMs, intendedMs, firstEventMs, firstTokenMs, answeredMs, endMs };
    return meetsLevel({ outcome: this.record.outcome, stream, ...times }, this, this.#slo);
  }

  /** Null where not all arrivals were kept. */
  protected get longestKeptGapMs(): number | null {
    const { groups, arrivals } = this.record;
    if (groups.length < arrivals) return null;
    return groups.reduce((longest, _, at) => (at === 0 ? 0 : Math.max(longest, this.gap(groups, at))), 0);
  }
}
