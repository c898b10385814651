import type { SettingChange } from "../history/burst-settings.ts";
import type { LimitOp } from "../history/op.ts";
import { ratePerMs } from "../history/tolerances.ts";
import { accused, type CheckHead, checkHead, inconclusive, notApplicable, passed, type Check } from "../verdict/check.ts";
import type { BurstView } from "./burst-view.ts";
import { isOfCooldown } from "./is-of-cooldown.ts";

/** A reading right after a change, and the requests of the same window before it; the remaining ones fall with each of them. */
interface Reading {
  readonly used: readonly LimitOp[];
  readonly read: LimitOp;
  /** The change that was made and confirmed between them. */
  readonly change: SettingChange;
  /** All that the window had counted was given back. */
  readonly isEmptied: boolean;
}

/** Fewer requests before a change show nothing. */
const usedAtLeast = 6;

/**
 * Whether a change of settings gives back what the window has counted, although the service says that it is the same window. It is proven
 * twice, since a window may end, a bucket fill or another instance answer once; a window that went on counting once was not emptied.
 * Not applicable where the labels show no window that lasts.
 */
export function checkChangeKeepsWindow(view: BurstView): readonly Check[] {
  const own = checkHead("burst.change-empties-window");
  const end = view.ops.findLast(({ phase }) => phase === "window-used" || phase === "window-read");
  const readings = readingsOf(view);
  if (readings.length === 0) return end === undefined ? [] : [explainNoReading(own, end, view)];
  const emptied = readings.filter(({ isEmptied }) => isEmptied);
  if (emptied.length < readings.length) {
    return [passed(own, readings.length, `${readings.length} changes of settings: the window went on counting`)];
  }
  const [first, second] = emptied;
  if (first === undefined || second === undefined || second.used[0]!.requests.remaining !== first.read.requests.remaining! - 1) {
    const text = `after ${emptied.length} of ${emptied.length} changes of settings the window was whole again; it takes two in a row to show that the change emptied it`;
    return [inconclusive(own, readings.length, text)];
  }
  const { read } = second;
  const last = second.used.at(-1)!;
  return [
    accused(own, readings.length, "fail", {
      message: `${second.used.length} requests left ${last.requests.remaining} of ${last.requests.limit} in the window (#${last.seq}); after a change of settings #${read.seq} says that ${read.requests.remaining} remain, with the same reset of the window, and so it was after the change before. A correct service goes on counting: each change lets the whole limit through once more`,
      rule: "Remaining requests are those of the current window, which a change of other settings does not end.",
      spec: "Limits > Rate limits",
      ops: [...first.used, first.read, ...second.used, read],
      parameters: {
        limit: last.requests.limit ?? 0,
        windowMs: view.tolerances.windowMs,
        firstRead: first.read.seq,
        firstChangeSentMs: first.change.sentMs,
        firstChangeAnsweredMs: first.change.answeredMs,
        secondChangeSentMs: second.change.sentMs,
        secondChangeAnsweredMs: second.change.answeredMs,
      },
      lawfulAlternative: `at most ${last.requests.remaining! - 1} remain`,
      expected: `at most ${last.requests.remaining! - 1} remain`,
      observed: `${read.requests.remaining} remain`,
    }),
  ];
}

/** The reset of a bucket moves on with each request, that of a window by a whole window, once it has ended. */
function explainNoReading(own: CheckHead, end: LimitOp, view: BurstView): Check {
  if (isOfCooldown(end, view.cooldownMs) === false)
    return notApplicable(own, 0, `something else than the burst limit refused #${end.seq} first (answered ${end.status})`);
  const used = view.ops.filter(({ phase }) => phase === "window-used");
  const lasts = view.ops.some((read) => {
    if (read.phase !== "window-read" || read.requests.resetMs === null) return false;
    const before = used.filter(({ headersMs }) => headersMs <= read.sentMs);
    if (before.length === 0 || seriesTo(before).length < usedAtLeast) return false;
    return read.requests.resetMs - before.at(-1)!.requests.resetMs! > view.tolerances.windowMs / 2;
  });
  return lasts
    ? inconclusive(own, 0, "no request after a change of settings was of the window of those before it")
    : notApplicable(own, 0, "the remaining requests and the reset show no window that lasts over several requests");
}

function readingsOf(view: BurstView): readonly Reading[] {
  return view.ops
    .filter(({ phase }) => phase === "window-read")
    .flatMap((read) => {
      const before = view.ops.filter(({ phase, headersMs }) => phase === "window-used" && headersMs <= read.sentMs);
      const last = before.at(-1);
      const change = view.changes.find(
        ({ sentMs, answeredMs }) => last !== undefined && sentMs >= last.headersMs && answeredMs <= read.sentMs,
      );
      if (last === undefined || change === undefined) return [];
      const used = seriesTo(before);
      if (used.length < usedAtLeast || !isOneWindow(last, read)) return [];
      const { limit, remaining } = read.requests;
      const refill = ratePerMs(limit!, view.tolerances) * (read.headersMs - used[0]!.sentMs) + 2;
      const rise = remaining! - last.requests.remaining!;
      return [{ used, read, change, isEmptied: rise > refill && rise >= used.length - 1 && remaining! >= limit! - 1 }];
    });
}

/** The last requests of these that one window counted one after the other. */
function seriesTo(ops: readonly LimitOp[]): readonly LimitOp[] {
  const last = ops.at(-1)!;
  const used: LimitOp[] = [];
  for (const op of ops.toReversed()) {
    const next = used[0];
    const falls = next === undefined || op.requests.remaining === next.requests.remaining! + 1;
    if (op.outcome !== "admitted" || !isOneWindow(op, last) || !falls) break;
    used.unshift(op);
  }
  return used;
}

function isOneWindow({ requests: one, cached }: LimitOp, { requests: other, outcome }: LimitOp): boolean {
  const isRead = one.remaining !== null && other.remaining !== null && one.limit !== null && one.resetMs !== null;
  return isRead && !cached && outcome === "admitted" && one.limit === other.limit && one.resetMs === other.resetMs;
}
