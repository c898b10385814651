import type { LoadSecond } from "../../core/result/load-figures.ts";
import type { HealthSecond } from "../generator/generator-health.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import type { OverflowSecond } from "../samples/overflow.ts";
import { type SampleSet, sampleSetOf } from "../statistics/sample-set.ts";
import { rankOf } from "../statistics/nearest-rank.ts";
import { sampleFloor } from "../statistics/percentile-estimate.ts";

/** Bounds beyond which a second is tainted: what was measured in it may be the generator's doing. */
export const taintBounds: { readonly loopUtilization: number; readonly loopDelayMs: number; readonly dispatchDelayMs: number } = {
  loopUtilization: 0.9,
  loopDelayMs: 100,
  dispatchDelayMs: 50,
};

export interface SecondSeries {
  /** A send was offered: its planned instant came. */
  due(atMs: number): void;
  sent(atMs: number): void;
  /** One in flight has ended. `nowMs`: when the sender noticed, by its own count and not by the record. */
  left(nowMs: number): void;
  /** Counts the end of a send, in flight or not. */
  recorded(record: LoadRecord): void;
  health(sample: HealthSecond): void;
  /** Something was sent, answered or under way in that second, as far as it was counted. */
  isActive(second: number): boolean;
  /** Adds the counts beside the records, by second. */
  overflow(seconds: ReadonlyMap<number, OverflowSecond>): void;
  /** Integral of requests in flight over time, in request-milliseconds between two instants (whole seconds are exact). */
  inFlight(): number;
  /** Requests in flight times milliseconds, counted up at every send and end. */
  area(nowMs: number): number;
  seconds(): readonly LoadSecond[];
  /** Figures of the running second for the live view. */
  latest(second: number): LoadSecond;
}

/** Counts by second of the profile; instants are milliseconds of the run clock, `startMs` is its start. */
export function createSecondSeries(startMs: number): SecondSeries {
  const rows: Row[] = [];
  let flying = 0;
  let area = 0;
  let areaAtMs = startMs;
  const rowAt = (second: number): Row => {
    while (rows.length <= second) rows.push(emptyRow(flying));
    return rows[second] ?? emptyRow(flying);
  };
  const row = (atMs: number): Row => rowAt(Math.max(0, Math.floor((atMs - startMs) / 1000)));
  const integrate = (atMs: number): void => {
    area += flying * Math.max(0, atMs - areaAtMs);
    areaAtMs = Math.max(areaAtMs, atMs);
  };
  const view = (second: number): LoadSecond => viewRow(rows[second] ?? emptyRow(flying), second);
  return {
    due: (atMs) => {
      row(atMs).offered += 1;
    },
    sent(atMs) {
      integrate(atMs);
      // Seconds that passed in between had what was in flight before.
      const at = row(atMs);
      flying += 1;
      at.sent += 1;
      at.inFlight = flying;
    },
    left(nowMs) {
      integrate(nowMs);
      const at = row(nowMs);
      flying -= 1;
      at.inFlight = flying;
    },
    recorded(record) {
      if (record.outcome === "not-sent") {
        row(record.intendedMs).notSent += 1;
        return;
      }
      const at = row(record.endMs);
      if (record.outcome === "ok") at.ok += 1;
      else if (record.status === 429) at.limited += 1;
      else if (record.outcome !== "interrupted" && record.outcome !== "left") at.failed += 1;
      const joins = record.outcome === "ok" || record.outcome === "interrupted" || record.outcome === "timed-out";
      if (joins && record.firstTokenMs !== null) at.ttft.push(record.firstTokenMs - record.sentMs);
      if (record.attempt === 1) row(record.intendedMs).dispatch.push(Math.max(0, record.issuedMs - record.intendedMs));
    },
    overflow(seconds) {
      let beside = 0;
      rowAt([...seconds.keys()].reduce((latest, second) => Math.max(latest, second), 0));
      for (const [second, at] of rows.entries()) {
        const counted = seconds.get(second);
        beside += (counted?.sent ?? 0) - (counted?.ended ?? 0);
        at.inFlight += beside;
        if (counted === undefined) continue;
        for (const sum of shownSums) at[sum] += counted[sum];
        at.counted = counted;
      }
    },
    health(sample) {
      rowAt(sample.second).health = sample;
    },
    isActive: (second) => {
      const at = rows[second];
      return at !== undefined && isActive(at);
    },
    inFlight: () => flying,
    area(nowMs) {
      integrate(nowMs);
      return area;
    },
    seconds: () => rows.map((_, second) => view(second)),
    latest: view,
  };
}

interface Row extends Record<(typeof shownSums)[number], number> {
  inFlight: number;
  readonly ttft: number[];
  readonly dispatch: number[];
  health: HealthSecond | null;
  counted: OverflowSecond | null;
}

const shownSums = ["offered", "sent", "ok", "limited", "failed", "notSent"] as const;

function emptyRow(inFlight: number): Row {
  const sums = { offered: 0, sent: 0, ok: 0, limited: 0, failed: 0, notSent: 0 };
  return { ...sums, inFlight, ttft: [], dispatch: [], health: null, counted: null };
}

function isActive({ sent, ok, limited, failed, inFlight }: Row): boolean {
  return sent + ok + limited + failed + inFlight > 0;
}

function viewRow(row: Row, second: number): LoadSecond {
  const { counted } = row;
  const ttft = sampleSetOf(row.ttft, counted === null ? [] : [counted.ttft]);
  const dispatch = sampleSetOf(row.dispatch, counted === null ? [] : [counted.dispatch]);
  const { loopUtilization, loopDelayMaxMs } = row.health ?? { loopUtilization: null, loopDelayMaxMs: null };
  return {
    second,
    offered: row.offered,
    sent: row.sent,
    ok: row.ok,
    limited: row.limited,
    failed: row.failed,
    notSent: row.notSent,
    inFlight: row.inFlight,
    ttftCount: ttft.count,
    ttftP50: reportedRank(ttft, 50),
    ttftP99: reportedRank(ttft, 99),
    ttftMax: ttft.max(),
    dispatchDelayP99: reportedRank(dispatch, 99),
    dispatchDelayMax: dispatch.max(),
    loopDelayMaxMs,
    loopUtilization,
    tainted:
      // Nobody looked at the generator then: nothing vouches for it.
      (row.health === null && isActive(row)) ||
      (loopUtilization ?? 0) > taintBounds.loopUtilization ||
      (loopDelayMaxMs ?? 0) > taintBounds.loopDelayMs ||
      // No claim about the target, but a reason to look closer: here the rank alone will do.
      (rankOf(dispatch, 99) ?? 0) > taintBounds.dispatchDelayMs,
  };
}

/** Null below the sample floor. */
function reportedRank(samples: SampleSet, percentile: number): number | null {
  return samples.count < sampleFloor(percentile) ? null : rankOf(samples, percentile);
}
