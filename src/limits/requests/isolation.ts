import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../verdict/check.ts";
import type { GroupView } from "../history/group-view.ts";
import { readsCounter } from "../history/op.ts";
import { roundingOf, describeCoarseness } from "../history/rounding.ts";

const spec = "Limits > Rate limits (per key and per endpoint)";

const keyHead: CheckHead = checkHead("limits.keys-share-counter", 2);

const endpointHead: CheckHead = checkHead("limits.endpoints-share-counter", 2);

/**
 * While one key and endpoint is drained, `remaining` of another pair falls by its own requests only. `other` is the pair
 * that must not notice; needs a reading of it before and after.
 */
export function checkIsolation(drained: GroupView, other: GroupView): Check {
  const head = drained.key === other.key ? endpointHead : keyHead;
  const { tolerances } = other;
  const readings = other.ops.filter((op) => op.requests.remaining !== null && readsCounter(op));
  const from = drained.admitted[0];
  const visitedMs = Math.min(...readings.map(({ headersMs }) => headersMs));
  // It may have been used up before the other side was visited at all.
  const until = drained.rejected.find(({ sentMs }) => sentMs > visitedMs);
  const before = readings.find((op) => until && op.headersMs < until.sentMs);
  const after = readings.findLast((op) => op !== before && until && op.sentMs > until.headersMs);
  if (!from || !until || !before || !after || before.headersMs >= after.sentMs) {
    return inconclusive(head, readings.length, "no reading of the other side before and after the drain");
  }
  if (!other.exclusive) return inconclusive(head, readings.length, "the keys are not declared exclusive");
  const rounding = roundingOf([...readings, ...drained.admitted], other.limit ?? 60);
  for (const late of readings.filter((op) => op.sentMs > before.headersMs + tolerances.fuzzMs)) {
    const own = other.contenders.possible(before.sentMs - tolerances.fuzzMs, late.headersMs + tolerances.fuzzMs);
    const fell = before.requests.remaining! - late.requests.remaining!;
    const foreign = drained.consumers.possible(before.headersMs, late.headersMs);
    // Some limiters round what they show: more than a sixth of a limit that is not small is no rounding.
    if (fell <= own + Math.max(rounding - 1, 1, (other.limit ?? 60) / 6) || foreign < fell - own) continue;
    return accused(head, readings.length, "fail", {
      kind: "isolation",
      message: `remaining of ${other.key}, ${other.endpoint} fell by ${fell} from #${before.seq} to #${late.seq} with at most ${own} requests of its own, while ${drained.key}, ${drained.endpoint} sent ${foreign}`,
      rule: "Each key has an allowance of its own on each endpoint.",
      spec,
      ops: [before, late],
      parameters: { fell, own, foreign, drained: drained.id, other: other.id },
      correct: `remaining at least ${before.requests.remaining! - own}`,
      expected: `remaining at least ${before.requests.remaining! - own}`,
      observed: `remaining ${late.requests.remaining}`,
    });
  }
  const coarse = describeCoarseness(rounding, other.limit ?? 60);
  if (coarse !== null) return inconclusive(head, readings.length, coarse);
  return passed(head, readings.length, `remaining of ${other.key}, ${other.endpoint} fell by its own requests only`);
}
