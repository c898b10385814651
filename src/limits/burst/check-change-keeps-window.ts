import type { LimitOp } from "../history/op.ts";
import { ratePerMs } from "../history/tolerances.ts";
import { accused, checkHead, passed, type Check } from "../verdict/check.ts";
import type { BurstView } from "./burst-view.ts";

/** A reading right after a change, and the requests of the same window before it; the remaining ones fall with each of them. */
interface Reading {
  readonly used: readonly LimitOp[];
  readonly read: LimitOp;
  /** All that the window had counted was given back. */
  readonly isEmptied: boolean;
}

/** Fewer requests before a change show nothing. */
const usedAtLeast = 6;

/**
 * Whether a change of settings gives back what the window has counted, although the service says that it is the same window: twice, since
 * a window may end, a bucket fill or another instance answer once. None where the labels show no window that lasts.
 */
export function checkChangeKeepsWindow(view: BurstView): readonly Check[] {
  const own = checkHead("burst.change-empties-window", 2);
  const readings = readingsOf(view);
  if (readings.length < own.needed) return [];
  const emptied = readings.filter(({ isEmptied }) => isEmptied);
  const [first, second] = emptied;
  if (first === undefined || second === undefined || second.used[0]!.requests.remaining !== first.read.requests.remaining! - 1) {
    if (emptied.length === readings.length) return [];
    return [passed(own, readings.length, `${readings.length} changes of settings: the window went on counting`)];
  }
  const { read } = second;
  const last = second.used.at(-1)!;
  return [
    accused(own, readings.length, "fail", {
      message: `${second.used.length} requests left ${last.requests.remaining} of ${last.requests.limit} in the window (#${last.seq}); after a change of settings #${read.seq} says that ${read.requests.remaining} remain, with the same reset of the window, and so it was after the change before. A correct service goes on counting: each change lets the whole limit through once more`,
      rule: "Remaining requests are those of the current window, which a change of other settings does not end.",
      spec: "Limits > Rate limits",
      ops: [...second.used, read],
      parameters: { limit: last.requests.limit ?? 0 },
      lawfulAlternative: `at most ${last.requests.remaining! - 1} remain`,
      expected: `at most ${last.requests.remaining! - 1} remain`,
      observed: `${read.requests.remaining} remain`,
    }),
  ];
}

function readingsOf(view: BurstView): readonly Reading[] {
  return view.ops
    .filter(({ phase }) => phase === "window-read")
    .flatMap((read) => {
      const before = view.ops.filter(({ phase, headersMs }) => phase === "window-used" && headersMs <= read.sentMs);
      const last = before.at(-1);
      const isChanged = view.changes.some(
        ({ sentMs, answeredMs }) => last !== undefined && sentMs >= last.headersMs && answeredMs <= read.sentMs,
      );
      if (last === undefined || !isChanged) return [];
      const used = seriesTo(before);
      if (used.length < usedAtLeast || !isOneWindow(last, read)) return [];
      const { limit, remaining } = read.requests;
      const refill = ratePerMs(limit!, view.tolerances) * (read.headersMs - used[0]!.sentMs) + 2;
      const rise = remaining! - last.requests.remaining!;
      return [{ used, read, isEmptied: rise > refill && rise >= used.length - 1 && remaining! >= limit! - 1 }];
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
