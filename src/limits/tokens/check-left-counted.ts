import { namesNoWindow } from "../history/names-no-window.ts";
import type { OpOf } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";
import { accused, type Check, checkHead, inconclusive, notApplicable, passed } from "../verdict/check.ts";
import { findLeftTogether } from "./left-together.ts";
import type { TokenReadings } from "./token-readings.ts";

const head = checkHead("tokens.left-uncounted", 2);

/** Labels of a count that is refilled lie further ahead the more is used: these are within this of each other where nothing is refilled, ms. */
const roundedMs = 1000;

/** Whether the reset is as far ahead whatever was used, so that the count may be one of a window whose label is wrong. */
function isAlwaysAsFar(ops: readonly OpOf<"tokens">[]): boolean {
  const ahead = ops.flatMap(({ requests, headersMs }) => (requests.resetMs === null ? [] : [requests.resetMs - headersMs]));
  return Math.max(...ahead) - Math.min(...ahead) <= roundedMs;
}

/**
 * Streams that their clients left are requests: the number that remains falls by them. Only where the window is the same before and
 * after; its label stays where nothing came back. null where none were left.
 */
export function checkLeftCounted(
  ops: readonly OpOf<"tokens">[],
  { mayHaveEnded }: TokenReadings,
  tolerances: Tolerances,
): Check | null {
  if (!ops.some(({ phase }) => phase === "left-whole")) return null;
  const found = (["left-late", "left-early", "left-at-head"] as const).flatMap((phase) => findLeftTogether(ops, phase) ?? []);
  const judged = found.filter(
    ({ before, after }) =>
      before.requests.remaining !== null &&
      after.requests.remaining !== null &&
      before.requests.resetMs !== null &&
      before.requests.resetMs === after.requests.resetMs &&
      !mayHaveEnded(before, after),
  );
  const streams = judged.reduce((sum, one) => sum + one.streams.length, 0);
  if (judged.length === 0) {
    const labels = ops.map(({ requests }) => requests.resetMs);
    // A count that is refilled gives back in between as much as may have been left out: it has no window that holds it.
    if (found.length > 0 && namesNoWindow(labels, tolerances, 2) && !isAlwaysAsFar(ops))
      return notApplicable(head, 0, "the reset moves with each request: no two readings are of one window");
    return inconclusive(head, 0, "no readings of one window stand around streams that were left");
  }
  for (const { before, streams: own, after } of judged) {
    const fell = before.requests.remaining! - after.requests.remaining!;
    // Nothing below 0 is shown, and one reading may count itself where the other does not.
    const due = Math.min(own.length, before.requests.remaining!) - 1;
    if (due < 1 || fell >= due) continue;
    return accused(head, streams, "fail", {
      kind: "left-count",
      message: `${own.length} streams were served and left by their clients between #${before.seq} and #${after.seq}, and the number of requests that remain fell by ${fell}`,
      rule: "A request that is served counts, whether its client reads the answer to its end or not.",
      spec: "Limits > Rate limits (x-ratelimit-remaining-requests)",
      ops: [before, ...own, after],
      parameters: { fell, streams: own.length },
      correct: `lower by at least ${due}`,
      expected: `at least ${due}`,
      observed: String(fell),
    });
  }
  return passed(head, streams, `${streams} streams that their clients left count as requests`);
}
