import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import type { GroupView } from "../history/group-view.ts";
import { isInPhase, type LimitOp } from "../history/op.ts";
import { ratePerMs } from "../history/tolerances.ts";
import { accused, type Check, type CheckHead, checkHead, inconclusive, passed } from "../verdict/check.ts";

/** One way to look like something else to a limiter that counts by the wrong thing. */
interface Disguise {
  readonly head: CheckHead;
  readonly phase: LimitPhases["requests"];
  readonly rule: string;
  /** The request in the words of a finding. */
  readonly describe: (op: LimitOp) => string;
  readonly passed: (ops: readonly LimitOp[]) => string;
}

const disguises: readonly Disguise[] = [
  {
    head: checkHead("limits.path-bypass", 2),
    phase: "F-spelling",
    rule: "The limit holds for the endpoint, however its path is written.",
    describe: ({ path }) => `requests to ${path}`,
    passed: (ops) => `${ops.length} requests with other spellings found no way around the limit`,
  },
  {
    head: checkHead("limits.identity-bypass", 2),
    phase: "F-identity",
    rule: "The limit holds for the key, whatever the client says about itself.",
    describe: ({ label }) => `requests with ${label}`,
    passed: (ops) =>
      `no way around the limit: ${ops.map(({ label }) => label).join(", ")}. The host name and the HTTP version were not varied`,
  },
];

/** Whether requests that look like another path or another client were admitted while the endpoint itself was drained. */
export function checkBypasses(view: GroupView): readonly Check[] {
  return disguises.flatMap((disguise) => {
    const ops = view.disguised.filter((op) => isInPhase(op, "requests", disguise.phase));
    return ops.length === 0 ? [] : [checkBypass(view, ops, disguise)];
  });
}

/** Admitted although the endpoint itself is drained: before and after, it rejects. */
function checkBypass(view: GroupView, ops: readonly LimitOp[], { head, rule, describe, passed: pass }: Disguise): Check {
  const { limit } = view;
  const admitted = ops.filter((op) => op.outcome === "admitted");
  // Requests that another kind of answer shows to be no way in need no refusals around them.
  const asked = admitted.length > 0 ? admitted : ops;
  const firstMs = asked[0]!.sentMs;
  const lastMs = asked.reduce((most, op) => Math.max(most, Number.isFinite(op.headersMs) ? op.headersMs : 0), 0);
  const drained = view.rejected.filter((op) => view.judgesRejection(op));
  const before = drained.findLast((op) => op.headersMs < firstMs);
  const after = drained.find((op) => op.sentMs >= lastMs);
  if (limit === null || !before || !after)
    return inconclusive(head, ops.length, "not enclosed by rejections of the endpoint itself");
  if (view.admitted.some((op) => op.headersMs >= before.sentMs && op.sentMs <= after.headersMs)) {
    return inconclusive(head, ops.length, "the endpoint itself admitted requests in between");
  }
  // A refilling limiter may grant what came in over the span.
  const refill =
    Math.ceil(ratePerMs(limit, view.tolerances) * (after.headersMs - before.sentMs + view.tolerances.granularityMs)) + 1;
  if (admitted.length <= refill) return passed(head, ops.length, pass(ops));
  return accused(head, ops.length, "fail", {
    kind: "bypass",
    message: `${admitted.length} ${describe(admitted[0]!)} were admitted while the endpoint itself was drained: #${before.seq} and #${after.seq} were rejected`,
    rule,
    spec: "Limits > Rate limits (per key and per endpoint)",
    ops: [before, ...admitted, after],
    parameters: { refill, limit, windowMs: view.tolerances.windowMs },
    correct: "404, or 429",
    expected: `at most ${refill} admitted`,
    observed: `${admitted.length} admitted`,
  });
}
