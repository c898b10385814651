import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../verdict/check.ts";
import { ratePerMs } from "../history/tolerances.ts";
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
  const until = drained.rejected[0];
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

const bypassHead: CheckHead = checkHead("limits.path-bypass", 2);

/** Admitted under another spelling while the endpoint itself is drained: before and after, it rejects. */
export function checkBypass(view: GroupView): Check {
  const limit = view.limit;
  const spelled = view.spelled;
  const admitted = spelled.filter((op) => op.outcome === "admitted");
  // Spellings that another kind of answer shows to be no way in need no refusals around them.
  const asked = admitted.length > 0 ? admitted : spelled;
  const firstMs = asked[0]?.sentMs ?? 0;
  const lastMs = asked.reduce((most, op) => Math.max(most, Number.isFinite(op.headersMs) ? op.headersMs : 0), 0);
  const drained = view.rejected.filter((op) => view.judgesRejection(op));
  const before = drained.findLast((op) => op.headersMs < firstMs);
  const after = drained.find((op) => op.sentMs >= lastMs);
  if (limit === null || !before || !after)
    return inconclusive(bypassHead, spelled.length, "not enclosed by rejections of the endpoint itself");
  if (view.admitted.some((op) => op.headersMs >= before.sentMs && op.sentMs <= after.headersMs)) {
    return inconclusive(bypassHead, spelled.length, "the endpoint itself admitted requests in between");
  }
  // A refilling limiter may grant what came in over the span.
  const refill =
    Math.ceil(ratePerMs(limit, view.tolerances) * (after.headersMs - before.sentMs + view.tolerances.granularityMs)) + 1;
  if (admitted.length <= refill)
    return passed(bypassHead, spelled.length, `${spelled.length} requests with other spellings found no way around the limit`);
  return accused(bypassHead, spelled.length, "fail", {
    kind: "bypass",
    message: `${admitted.length} requests to ${admitted[0]!.path} were admitted while the endpoint itself was drained: #${before.seq} and #${after.seq} were rejected`,
    rule: "The limit holds for the endpoint, however its path is written.",
    spec,
    ops: [before, ...admitted, after],
    parameters: { refill, limit, windowMs: view.tolerances.windowMs },
    correct: "404, or 429",
    expected: `at most ${refill} admitted`,
    observed: `${admitted.length} admitted`,
  });
}
