import { countBelow, countUpTo } from "../../../core/sorted.ts";
import type { GroupView } from "../../history/group-view.ts";
import type { LimitOp } from "../../history/op.ts";

/** A counter of two windows, wherever the present one began, unless a reading shows more than that phase leaves. */
export interface WeighedPhases {
  /** Whether some phase still counts so many of what came between two readings. */
  explains(early: LimitOp, late: LimitOp, missing: number): boolean;
  /** The most that any phase still counts. */
  most(early: LimitOp, late: LimitOp): number;
}

export interface PhaseReadings {
  /** By send instant. */
  readonly readings: readonly LimitOp[];
  /** The same by the instant of the answer. */
  readonly answered: readonly LimitOp[];
  readonly slackMs: number;
  readonly margin: number;
}

/** Steps in which the begin of a window of the clock is tried, ms. */
const stepMs = 500;

/** Readings between the two, above which not every one of them is searched for in every phase. */
const mostLookedAt = 300;

/** How far the readings were held against one phase: each is looked at once, also where many pairs ask for it. */
interface Compared {
  /** Admitted in the window before, at least. */
  readonly known: number;
  next: number;
  nextAnswered: number;
  /** Sent in this window and answered before the next reading was sent. */
  count: number;
  contradicted: boolean;
}

export function createWeighedPhases(view: GroupView, given: PhaseReadings): WeighedPhases {
  const { windowMs } = view.tolerances;
  const { readings, answered, slackMs } = given;
  const limit = view.limit!;
  const starts = readings.map(({ sentMs }) => sentMs);
  const ends = answered.map(({ headersMs }) => headersMs);
  const fitsClosely = comparedClosely(view, given);
  /** Of the pairs with this earlier reading. */
  let compared = new Map<number, Compared>();
  let comparedEarly: LimitOp | null = null;
  let lastBegin = 0;

  /** Instants of one grid, so that the next pair asks for the same ones. */
  const beginsOf = (late: LimitOp): readonly number[] => {
    const first = Math.ceil(late.headersMs / stepMs);
    const count = Math.max(0, first - Math.floor((late.sentMs - windowMs - slackMs) / stepMs));
    return Array.from({ length: count }, (_, index) => (first - index) * stepMs);
  };
  const countedBy = (beginMs: number, early: LimitOp, late: LimitOp): number => {
    const { contenders } = view;
    const before = contenders.possible(Math.max(early.sentMs, beginMs - windowMs - slackMs), beginMs + slackMs);
    const now = contenders.possible(Math.max(early.sentMs, beginMs - slackMs), late.headersMs);
    return now + before * Math.min(1, Math.max(0, 1 - (late.sentMs - beginMs - slackMs) / windowMs));
  };
  const compare = (beginMs: number, early: LimitOp): Compared => {
    const [fromMs, toMs] = [Math.max(early.headersMs, beginMs - windowMs + slackMs), beginMs - slackMs];
    let known = 0;
    for (let index = countUpTo(starts, fromMs); index < readings.length && starts[index]! < toMs; index += 1) {
      if (readings[index]!.headersMs < toMs) known += 1;
    }
    const next = Math.max(countUpTo(starts, early.headersMs), countBelow(starts, beginMs + slackMs));
    return { known, next, nextAnswered: countBelow(ends, beginMs + slackMs), count: 0, contradicted: false };
  };
  const fits = (beginMs: number, early: LimitOp, late: LimitOp): boolean => {
    const fromMs = beginMs + slackMs;
    // No reading in between was certainly taken in this window.
    if (fromMs > late.sentMs) return true;
    const within = countUpTo(starts, late.sentMs) - countUpTo(starts, early.headersMs);
    if (within <= mostLookedAt) return fitsClosely(beginMs, early, late);
    if (comparedEarly !== early) compared = new Map();
    comparedEarly = early;
    const state = compared.get(beginMs) ?? compare(beginMs, early);
    compared.set(beginMs, state);
    for (; !state.contradicted && state.next < readings.length && starts[state.next]! <= late.sentMs; state.next += 1) {
      const op = readings[state.next]!;
      if (op.sentMs > beginMs + windowMs) continue;
      for (; state.nextAnswered < answered.length && ends[state.nextAnswered]! < op.sentMs; state.nextAnswered += 1) {
        if (answered[state.nextAnswered]!.sentMs > Math.max(fromMs, early.headersMs)) state.count += 1;
      }
      const share = Math.max(0, 1 - (op.headersMs - beginMs + slackMs) / windowMs);
      state.contradicted = op.requests.remaining! > limit - state.count - state.known * share + 2;
    }
    return !state.contradicted;
  };
  return {
    explains: (early, late, missing) => {
      const begins = beginsOf(late);
      // Windows follow each other: the likely begin is that which explained the pair before, or one window later.
      const likely = begins.findIndex((ms) => (ms - lastBegin) % windowMs === 0);
      for (let tried = 0; tried < begins.length; tried += 1) {
        const beginMs = begins[(Math.max(0, likely) + tried) % begins.length]!;
        if (countedBy(beginMs, early, late) < missing || !fits(beginMs, early, late)) continue;
        lastBegin = beginMs;
        return true;
      }
      return false;
    },
    most: (early, late) =>
      beginsOf(late).reduce(
        (most, beginMs) => (fits(beginMs, early, late) ? Math.max(most, countedBy(beginMs, early, late)) : most),
        0,
      ),
  };
}

/** The same where few readings lie in between: none of them may miss more than the phase counts, either. */
function comparedClosely(
  view: GroupView,
  { readings, slackMs, margin }: PhaseReadings,
): (beginMs: number, early: LimitOp, late: LimitOp) => boolean {
  const { windowMs } = view.tolerances;
  const limit = view.limit!;
  const possibly = (fromMs: number, toMs: number): number => view.contenders.possible(fromMs, toMs);
  const starts = readings.map(({ sentMs }) => sentMs);
  return (beginMs, early, late) => {
    /** Requests that the earlier reading already misses are counted somewhere as well. */
    const missed = limit - early.requests.remaining!;
    const within = readings.slice(countUpTo(starts, early.headersMs), countUpTo(starts, late.sentMs));
    const [beforeFromMs, beforeToMs, fromMs] = [beginMs - windowMs + slackMs, beginMs - slackMs, beginMs + slackMs];
    /** The least that the window before admitted: a reading in it counts that window, and the part that it carried over. */
    const admittedBefore = within.reduce((least, op) => {
      if (op.sentMs < beforeFromMs || op.headersMs > beforeToMs) return least;
      const share = Math.min(1, 1 - (op.sentMs - beforeFromMs) / windowMs);
      const counted = limit - op.requests.remaining! - margin - share * (possibly(early.sentMs, op.headersMs) + missed);
      return share < 1 ? Math.max(least, counted / (1 - share)) : least;
    }, 0);
    const certainlyBefore = within.filter((op) => op.sentMs > beforeFromMs && op.headersMs < beforeToMs).length;
    const known = Math.max(certainlyBefore, admittedBefore);
    const possiblyBefore = possibly(early.sentMs, fromMs);
    const byAnswer = within.filter((op) => op.sentMs > fromMs).sort((one, other) => one.headersMs - other.headersMs);
    // Both lists go forward in time.
    let answered = 0;
    return within.every((op) => {
      while (answered < byAnswer.length && byAnswer[answered]!.headersMs < op.sentMs) answered += 1;
      if (op.sentMs < fromMs || op.sentMs > beginMs + windowMs) return true;
      const share = Math.max(0, 1 - (op.headersMs - beginMs + slackMs) / windowMs);
      if (op.requests.remaining! > limit - answered - known * share + 2) return false;
      const leastShare = Math.min(1, Math.max(0, 1 - (op.sentMs - fromMs) / windowMs));
      const counted = possibly(beginMs - slackMs, op.headersMs) + leastShare * possiblyBefore + missed;
      return limit - op.requests.remaining! <= counted + margin;
    });
  };
}
