import { quickRows, decisiveChance } from "../counting/quick-rows.ts";
import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../../verdict/check.ts";
import type { GroupView } from "../../history/group-view.ts";
import type { LimitOp } from "../../history/op.ts";
import { findStandingRefusal } from "../standing-refusal.ts";

const spec = "Limits > Rate limits (x-ratelimit-limit-requests)";

const constHead: CheckHead = checkHead("limits.limit-changed", 2);

/** How long a change of a plan may take until every instance knows it: as long as a new key (AMB-18), ms. */
const rolloutMs = 60_000;

export function checkLimitConstant(view: GroupView): Check {
  const stated = view.ops.filter((op) => op.requests.limit !== null);
  const first = stated[0];
  if (!first) return inconclusive(constHead, 0, "no limit header could be read");
  const other = stated.find((op) => op.requests.limit !== first.requests.limit);
  if (!other) return passed(constHead, stated.length, `${stated.length} responses state ${first.requests.limit}`);
  const flaps = findFlapping(stated, first, other);
  if (flaps !== null) {
    return accused(constHead, stated.length, "fail", {
      kind: "limit-flaps",
      message: `the stated limit changes back and forth: ${flaps.map((op) => `${op.requests.limit} (#${op.seq})`).join(", ")}, each longer than ${rolloutMs / 1000} s after the one before`,
      rule: "A key and endpoint has one limit while no setting changes.",
      spec,
      ops: flaps,
      parameters: { rolloutMs },
      correct: "one limit, or one change of the plan",
      expected: String(first.requests.limit),
      observed: flaps.map((op) => op.requests.limit).join(", "),
    });
  }
  return accused(constHead, stated.length, "advisory", {
    kind: "limit-changed",
    message: `the stated limit changed from ${first.requests.limit} (#${first.seq}) to ${other.requests.limit} (#${other.seq})`,
    rule: "A key and endpoint has one limit while no setting changes.",
    spec,
    ops: [first, other],
    correct: `${first.requests.limit}, unless the operator changed the plan during the run`,
    lawfulAlternative: "the operator changed the plan during the run",
    expected: String(first.requests.limit),
    observed: String(other.requests.limit),
  });
}

/**
 * The first limit, another, the first again and the other again, each step later than a change takes to reach every instance. An
 * operator who changes a plan changes it once or takes it back; twice there and back within one history is none.
 */
function findFlapping(stated: readonly LimitOp[], first: LimitOp, other: LimitOp): readonly LimitOp[] | null {
  const limits = [first.requests.limit, other.requests.limit];
  const steps: LimitOp[] = [];
  for (const op of stated) {
    const last = steps.at(-1);
    if (op.requests.limit !== limits[steps.length % 2] || !Number.isFinite(op.headersMs)) continue;
    if (last !== undefined && op.sentMs < last.headersMs + rolloutMs) continue;
    steps.push(op);
    if (steps.length === 4) return steps;
  }
  return null;
}

const planHead: CheckHead = checkHead("limits.limit-differs-from-plan");

/** `declared`: requests per minute by the manifest, null when it declares none. */
export function checkDeclaredLimit(view: GroupView, declared: number | null): Check {
  if (declared === null) return inconclusive(planHead, 0, "the manifest declares no limit and no plan");
  const stated = view.ops.filter((op) => op.requests.limit !== null);
  const wrong = stated.find((op) => op.requests.limit !== declared);
  if (!wrong) return passed(planHead, stated.length, `${stated.length} responses state ${declared}`);
  return accused(planHead, stated.length, "fail", {
    kind: "limit-declared",
    message: `#${wrong.seq} states a limit of ${wrong.requests.limit}; the target declares ${declared} requests per minute`,
    rule: "The limit header states the limit of the plan.",
    spec,
    ops: [wrong],
    parameters: { declared },
    correct: `x-ratelimit-limit-requests: ${declared}`,
    expected: String(declared),
    observed: String(wrong.requests.limit),
  });
}

const rejectHead: CheckHead = checkHead("limits.remaining-on-refusal");

export function checkRemainingOnReject(view: GroupView): Check {
  const judged = view.rejected.filter((op) => op.requests.remaining !== null && view.judgesRejection(op));
  if (judged.length === 0) return inconclusive(rejectHead, 0, "no rejection by the request limit was seen");
  const standing = findStandingRefusal(view, judged);
  if (standing !== null) return accuseStanding(view, judged.length, standing);
  const risen = findRiseOnRefusal(view);
  if (risen !== null) return accuseRisen(view, judged.length, risen);
  const wrong = judged.find((op) => (op.requests.remaining ?? 0) > 0);
  if (!wrong) return passed(rejectHead, judged.length, `${judged.length} rejections show no remaining requests`);
  return accused(rejectHead, judged.length, "advisory", {
    kind: "remaining-on-reject",
    message: `#${wrong.seq} was rejected while it says that ${wrong.requests.remaining} ${wrong.requests.remaining === 1 ? "request remains" : "requests remain"}`,
    rule: "A request that the request limit rejects sees no remaining requests.",
    spec: "Limits > Rate limits (x-ratelimit-remaining-requests)",
    ops: [wrong],
    parameters: { remaining: wrong.requests.remaining },
    correct: "remaining 0, or a second limit that the specification does not describe",
    expected: "0",
    observed: String(wrong.requests.remaining),
  });
}

function accuseStanding(view: GroupView, considered: number, [early, late]: readonly [LimitOp, LimitOp]): Check {
  const [before, after] = [early.requests.remaining, late.requests.remaining];
  const pauseSeconds = ((late.sentMs - early.headersMs) / 1000).toFixed(1);
  return accused(rejectHead, considered, "fail", {
    kind: "standing-refusal",
    message: `#${early.seq} was refused and says that ${before} remain of ${view.limit}; nothing else was sent, and ${pauseSeconds} s later #${late.seq} was refused and says that ${after} remain in the same window. A fraction that was rounded up would have become a whole request by then`,
    rule: "A request that remains is granted, or it does not remain.",
    spec: "Limits > Rate limits (x-ratelimit-remaining-requests)",
    ops: [early, late],
    parameters: { limit: view.limit, remaining: after, offsetHighMs: view.offset!.highMs },
    correct: `#${late.seq} is admitted, or both say that 0 remain`,
    expected: "0 remaining, or admitted",
    observed: `429 with ${after} remaining`,
  });
}

function accuseRisen(view: GroupView, considered: number, pairs: readonly (readonly [LimitOp, LimitOp])[]): Check {
  const [early, late] = pairs[0]!;
  return accused(rejectHead, considered, "fail", {
    kind: "rise-on-refusal",
    message: `${pairs.length} times single requests used up what remained; each time the last one that was admitted shows less than the refusal of the next (#${early.seq} shows ${early.requests.remaining}, #${late.seq} is refused and shows ${late.requests.remaining}). Nothing that refills, slides or rounds brings that back between two requests each time`,
    rule: "A request that the request limit rejects sees no more remaining than the one before it.",
    spec: "Limits > Rate limits (x-ratelimit-remaining-requests)",
    ops: pairs.flat(),
    parameters: { limit: view.limit, fuzzMs: view.tolerances.fuzzMs },
    correct: `#${late.seq} shows ${early.requests.remaining}, or is admitted`,
    expected: String(early.requests.remaining),
    observed: String(late.requests.remaining),
  });
}

const rangeHead: CheckHead = checkHead("limits.remaining-range");

export function checkRemainingRange(view: GroupView): Check {
  const problemOf = (op: LimitOp): LimitOp["headerProblems"][number] | undefined =>
    op.headerProblems.find(
      ({ unit, member, kind }) => unit === "requests" && member !== "reset" && kind !== "missing" && kind !== "other-name",
    );
  const answered = view.ops.filter((op) => op.status !== null && op.status !== 401);
  const stated = answered.filter(
    (op) => op.requests.limit !== null || op.requests.remaining !== null || problemOf(op) !== undefined,
  );
  if (stated.length === 0) return inconclusive(rangeHead, 0, "no answer states a limit or what remains");
  const wrong = stated.find((op) => problemOf(op) !== undefined);
  if (!wrong) return passed(rangeHead, stated.length, `${stated.length} responses state whole numbers in range`);
  const problem = problemOf(wrong)!;
  return accused(rangeHead, stated.length, "fail", {
    kind: "remaining-range",
    message: `#${wrong.seq}: ${problem.header} is ${problem.raw ?? ""} (${problem.kind})`,
    rule: "Limit and remaining are whole numbers, remaining at most the limit.",
    spec: "Limits > Rate limits",
    ops: [wrong],
    parameters: { header: problem.header, raw: problem.raw, problem: problem.kind },
    correct: "a decimal integer between 0 and the limit",
    expected: "0 to limit",
    observed: problem.raw ?? "",
  });
}

/**
 * Rows of single requests that end with a refusal, each of which says that more remains than the admitted one directly before it: whatever
 * a limiter rounds, it shows as much again only if something came back between the two. Before each row the exam waits for a
 * time drawn at random, so that a fraction of a request is left by chance. null: some row shows it otherwise, or too few.
 */
export function findRiseOnRefusal(view: GroupView): readonly (readonly [LimitOp, LimitOp])[] | null {
  const ends = quickRows(view).flatMap(({ ops, chance }) => {
    const [early, late] = ops.slice(-2);
    return early?.outcome === "admitted" && late?.outcome === "rejected" ? [{ early, late, chance }] : [];
  });
  // One that remains may be a fraction that is rounded up, of refusals only.
  const rises = ({ early, late }: (typeof ends)[number]): boolean =>
    late.requests.remaining! > Math.max(1, early.requests.remaining!);
  if (!ends.every(rises)) return null;
  // A refused request found less than one left, which may be rounded up to one. The rest came back as one batch: the larger it is,
  // the rarer it comes.
  const batchOf = ({ late }: (typeof ends)[number]): number => Math.max(1, late.requests.remaining! - 1);
  const chance = ends.reduce((product, end) => (product * end.chance) / batchOf(end), 1);
  return chance <= decisiveChance ? ends.map(({ early, late }) => [early, late] as const) : null;
}
