import { groupBy } from "../../../core/group-by.ts";
import type { GroupView } from "../../history/group-view.ts";
import type { LimitOp } from "../../history/op.ts";
import { roundingOf } from "../../history/rounding.ts";
import { ascending, countBelow, countUpTo } from "../../../core/sorted.ts";

/**
 * Requests of one stated window, answered surely before its stated end. If enough of them share a label over a long enough
 * span, no lawful meaning of the label leaves room for a renewal in between (docs/guide/limits.md, "Anchored epochs").
 */
export interface Epoch {
  readonly resetMs: number;
  readonly ops: readonly LimitOp[];
  /** Admitted under the same label, but so early that they may have been decided in the window before. */
  readonly late: readonly LimitOp[];
  readonly anchored: boolean;
  /** Weight that a sliding counter may still have carried over from the window before when it was last seen. */
  readonly carried: number;
  /** By how much at most that weight can have faded from its first request to its last answer. */
  readonly faded: number;
}

export function findEpochs(view: GroupView): readonly Epoch[] {
  const { limit, tolerances, offset } = view;
  if (limit === null || offset === null || offset.split) return [];
  const labelled = view.admitted.filter(({ requests: { resetMs, remaining, limit: stated }, headersMs }) => {
    if (resetMs === null || remaining === null || stated !== limit) return false;
    return headersMs + offset.highMs < resetMs - tolerances.granularityMs - tolerances.fuzzMs;
  });
  const byLabel = groupBy(labelled, ({ requests }) => requests.resetMs!);
  const labels = sortLabels(byLabel);
  const own = ownCount(view);
  const rounding = roundingOf(view.admitted, limit);
  const perSecond = (limit / tolerances.windowMs) * 1000;
  const epochs: Epoch[] = [];
  for (const [resetMs, members] of byLabel) {
    const ops = withoutLateReaders(members, resetMs, view);
    if (ops.length < 2) continue;
    const spanMs = ops.at(-1)!.sentMs - Math.min(...ops.slice(0, 64).map((op) => op.headersMs));
    const firstMs = ops[0]!.sentMs;
    const known = view.knownFromMs <= firstMs - 2 * tolerances.windowMs - tolerances.granularityMs;
    const seen = view.contenders.possible(firstMs - 2 * tolerances.windowMs - tolerances.granularityMs, firstMs - 1e-6);
    // Requests that were under way together may all have read one label late (O3), however many moved it before.
    const bornMs = ops.reduce((least, op) => Math.min(least, op.headersMs), Number.POSITIVE_INFINITY);
    const later = ops.filter((op) => op.sentMs > bornMs).length;
    const anchored = later > Math.max(2 * perSecond + 3, limit / 5) && spanMs >= 2000 + 2 * tolerances.fuzzMs;
    const weighted = !anchored || weighsPrevious(ops, resetMs, labels, view);
    const carried = weighted
      ? Math.min(known ? seen : Number.POSITIVE_INFINITY, carriedByReadings(ops, limit, own) + rounding - 1)
      : 0;
    const kept = new Set(ops);
    const endMs = ops.reduce((most, op) => Math.max(most, op.headersMs), firstMs);
    // The count of the window before fades evenly, seen through a rounding.
    const faded = Math.ceil((seen * (endMs - firstMs)) / tolerances.windowMs);
    epochs.push({
      resetMs,
      ops,
      late: members.filter((op) => !kept.has(op)),
      anchored,
      carried,
      faded: weighted ? (known ? faded : Number.POSITIVE_INFINITY) : 0,
    });
  }
  return epochs;
}

/**
 * A reading counts what this window admitted and what is carried over: the readings themselves bound the latter, which only
 * fades as the window goes on.
 */
export function carriedByReadings(ops: readonly LimitOp[], limit: number, own: 0 | 1): number {
  const ends = ascending(ops.map((op) => op.headersMs));
  let least = Number.POSITIVE_INFINITY;
  for (const op of ops.slice(0, 64)) least = Math.min(least, limit - op.requests.remaining! - countBelow(ends, op.sentMs) - own);
  return Math.max(0, least);
}

/** 1 where `remaining` provably counts the request that shows it: an admitted one that does not sees itself at least. */
export function ownCount(view: GroupView): 0 | 1 {
  const { limit, admitted } = view;
  if (limit === null || roundingOf(admitted, limit) > 1) return 0;
  return admitted.some((op) => op.requests.limit === limit && op.requests.remaining === 0) ? 1 : 0;
}

/** The requests that name one label. */
interface Labelled {
  readonly resetMs: number;
  readonly members: readonly LimitOp[];
  /** Place among the labels by the first request that names it. */
  readonly place: number;
}

interface Labels {
  readonly byInstant: readonly Labelled[];
  readonly instants: readonly number[];
}

function sortLabels(byLabel: ReadonlyMap<number, readonly LimitOp[]>): Labels {
  const byInstant = [...byLabel]
    .map(([resetMs, members], place) => ({ resetMs, members, place }))
    .sort((one, other) => one.resetMs - other.resetMs);
  return { byInstant, instants: byInstant.map(({ resetMs }) => resetMs) };
}

/** Of the labels within a span the one that was named first; O(log n) beside those in the span. */
function firstNamed({ byInstant, instants }: Labels, fromMs: number, toMs: number): Labelled | null {
  return byInstant
    .slice(countBelow(instants, fromMs), countUpTo(instants, toMs))
    .reduce<Labelled | null>((first, label) => (first === null || label.place < first.place ? label : first), null);
}

/**
 * Whether the window before may still weigh on this one. It does not, if that one admitted more, by its own label, than a
 * sliding counter could leave out of an early reading of this one.
 */
function weighsPrevious(ops: readonly LimitOp[], resetMs: number, labels: Labels, view: GroupView): boolean {
  const limit = view.limit!;
  const { windowMs, granularityMs, clockMs } = view.tolerances;
  const fromMs = resetMs - windowMs;
  const marginMs = 2 * granularityMs + clockMs;
  // The label may also name the end of the window after this one: then nothing of it is seen beyond its first half.
  if (ops.at(-1)!.sentMs + view.offset!.lowMs < fromMs + marginMs || roundingOf(view.admitted, limit) > 1) return true;
  const before = firstNamed(labels, fromMs - windowMs / 2, fromMs + granularityMs);
  if (before === null) return true;
  const previous = withoutLateReaders(before.members, before.resetMs, view).length;
  const ends = ascending(ops.map((op) => op.headersMs));
  return !ops.slice(0, 64).some((op) => {
    const elapsed = (op.headersMs + view.offset!.highMs + marginMs - fromMs) / windowMs;
    const most = limit - op.requests.remaining! - countBelow(ends, op.sentMs);
    return 0.9 * previous * (1 - elapsed) > most + 3;
  });
}

/** A request decided in the window before may read label and remaining of this one when it reads late (O3): leave it out. */
function withoutLateReaders(members: readonly LimitOp[], resetMs: number, view: GroupView): readonly LimitOp[] {
  const { tolerances, offset } = view;
  const bornMs = members.reduce((least, op) => Math.min(least, op.headersMs), Number.POSITIVE_INFINITY);
  const slackMs = tolerances.granularityMs + tolerances.fuzzMs + tolerances.clockMs;
  const surelyOpenMs = resetMs + slackMs - tolerances.windowMs - (offset?.lowMs ?? 0);
  // An instance whose clock lags may decide in the window before although another has seen this one.
  return members.filter((op) => op.sentMs > bornMs + tolerances.fuzzMs || op.sentMs >= surelyOpenMs);
}
