import type { LimitIdentification, LimitTier } from "../../core/result/limits-result.ts";
import type { Certificate } from "../verdict/certificate-kind.ts";
import { passed, inconclusive, type Check, checkHead } from "../verdict/check.ts";
import type { GroupView } from "../history/group-view.ts";
import { roundingOf } from "../history/rounding.ts";
import type { Family, FamilyInput, FamilyOp, Refutation } from "./family.ts";
import { fixedAligned, fixedFromFirst } from "./fixed-window.ts";
import { slidingCounter } from "./sliding-counter.ts";
import { slidingLog } from "./sliding-log.ts";
import { batchRefill, tokenBucket } from "./token-bucket.ts";
import { viewOp, type LimitOp } from "../history/op.ts";
import { chooseExperiment } from "./experiment.ts";
import { findWitness } from "../witness/witness.ts";

/** An answer may state any number: as many as a family is compared with are enough. */
const mostUsed = 6000;

/**
 * Requests that may have been counted before a history begins: as many as its first answer shows to be missing. A window that somebody
 * used before is no other algorithm.
 */
export function usedBefore(
  ops: readonly FamilyOp[],
  { limit, windowMs, before }: { readonly limit: number; readonly windowMs: number; readonly before: 0 | 1 },
): readonly FamilyOp[] {
  const first = ops
    .filter(({ outcome, remaining }) => outcome === "rejected" || (outcome === "admitted" && remaining !== null))
    .reduce<FamilyOp | null>((least, op) => (least === null || op.headersMs < least.headersMs ? op : least), null);
  if (first === null) return [];
  const missing = first.outcome === "rejected" ? limit : limit - first.remaining! - (1 - before);
  const beganMs = Math.min(...ops.map(({ sentMs }) => sentMs));
  return Array.from({ length: Math.min(mostUsed, Math.max(0, Math.ceil(missing))) }, (_, index) => ({
    seq: -1 - index,
    sentMs: beganMs - 2 * windowMs,
    headersMs: beganMs,
    outcome: "free",
    remaining: null,
  }));
}

/** Every family that a history is compared with. The list is closed: that none explains it is no proof against the limiter. */
export const families: readonly Family[] = [fixedAligned, fixedFromFirst, slidingLog, slidingCounter, tokenBucket, batchRefill];

/** Requests that families are compared with at most: searches for a phase cost a pass each. */
const familyLimit = 6000;
const readingsNeeded = 10;

export interface Identified {
  readonly identification: LimitIdentification | null;
  /** `consistent`: a witness was found. `unexplained`: every family is refuted. */
  readonly tier: Extract<LimitTier, "consistent" | "unrefuted" | "unexplained" | "inconclusive">;
  readonly check: Check;
}

const head = checkHead("limits.algorithm", readingsNeeded);

/**
 * Compares the history with every family, remaining before or after the request, and looks for a witness among the survivors,
 * unless the caller only asks who they are.
 */
export function identifyLimiter(view: GroupView, declared: string | null, strict: boolean, seeksWitness = true): Identified {
  const ops = view.ops.slice(0, familyLimit);
  // Without any reading the decisions alone are compared.
  const readings = ops.filter((op) => (view.unstated ? op.outcome !== "maybe" : op.requests.remaining !== null)).length;
  if (view.limit === null || readings < readingsNeeded || view.rejected.length === 0) {
    const message = "too few readings, or no rejection, to distinguish algorithms";
    return { identification: null, tier: "inconclusive", check: inconclusive(head, readings, message) };
  }
  const survivors: LimitIdentification["survivors"][number][] = [];
  const refuted: { family: string; because: string; certificate: Certificate | null }[] = [];
  const decisionsOnly: string[] = [];
  for (const family of families) {
    const counting = family.examine(inputOf(view, ops, 0, true));
    const verdict = counting.possible ? counting : family.examine(inputOf(view, ops, 1, true));
    if (verdict.possible) {
      const witness = seeksWitness && findWitness(family.id, view, ops, verdict === counting ? 0 : 1);
      survivors.push({ family: family.id, parameters: verdict.parameters, witness });
      continue;
    }
    const { refutation } = counting.possible ? verdict : counting;
    refuted.push({ family: family.id, because: refutation.because, certificate: certificateOf(refutation, view) });
    if (family.examine(inputOf(view, ops, 0, false)).possible) decisionsOnly.push(family.id);
  }
  const nearest = decisionsOnly[0] ?? null;
  rankSurvivors(survivors, view);
  const identification = {
    survivors,
    refuted,
    nearest: survivors.length > 0 ? null : nearest,
    nextProbe: nextProbe(survivors, view),
  };
  if (survivors.length === 0) {
    const fails = strict || declared !== null;
    const blame =
      nearest === null
        ? "not even the decisions alone fit one"
        : `the decisions alone fit ${nearest}, the remaining headers do not`;
    return {
      identification,
      tier: "unexplained",
      check: {
        ...passed(
          head,
          readings,
          `UNEXPLAINED: no algorithm of the list explains this history: ${blame}${describeNearest(refuted, nearest)}`,
        ),
        tier: "unexplained",
        verdict: fails ? "fail" : "advisory",
        certificate: refuted[0]?.certificate ?? null,
        exchanges: refuted.flatMap(({ certificate }) => certificate?.ops.map((op) => op.seq) ?? []),
        expected: "a window, log, counter or bucket of the stated limit",
        observed: refuted.map(({ family, because }) => `${family}: ${because}`).join("; "),
      },
    };
  }
  const tier = survivors.some(({ witness }) => witness) ? "consistent" : "unrefuted";
  const message = `explained by ${survivors.map(({ family }) => family).join(", ")}`;
  return { identification, tier, check: { ...passed(head, readings, message), tier } };
}

/** Why the nearest family is refuted, else the first. */
function describeNearest(refuted: LimitIdentification["refuted"], nearest: string | null): string {
  const one = refuted.find(({ family }) => family === nearest) ?? refuted[0];
  return one === undefined ? "" : `; ${one.family} is refuted since ${one.because}`;
}

/** Proven first; then those whose usual label behaves like the labels seen: one per window, or moving with the requests. */
function rankSurvivors(survivors: LimitIdentification["survivors"][number][], view: GroupView): void {
  const labels = new Set(view.admitted.map((op) => op.requests.resetMs));
  const spanMs = (view.admitted.at(-1)?.sentMs ?? 0) - (view.admitted[0]?.sentMs ?? 0);
  const steady = labels.size <= 3 + (2 * spanMs) / view.tolerances.windowMs;
  const order = steady
    ? ["fixed-window", "fixed-from-first", "sliding-counter", "sliding-log", "token-bucket", "batch-refill"]
    : ["token-bucket", "sliding-log", "batch-refill", "sliding-counter", "fixed-from-first", "fixed-window"];
  const rank = (one: { readonly family: string; readonly witness: boolean }): number =>
    (one.witness ? 0 : 10) + order.indexOf(one.family);
  survivors.sort((a, b) => rank(a) - rank(b));
}

function inputOf(view: GroupView, ops: readonly LimitOp[], before: 0 | 1, readings: boolean): FamilyInput {
  const { windowMs, granularityMs, fuzzMs, rateRatio } = view.tolerances;
  const limit = view.limit!;
  const known = [...ops.map((op) => familyOp(op, view)), ...view.disguised.map(disguisedOp)].sort((a, b) => a.sentMs - b.sentMs);
  return {
    ops: [...usedBefore(known, { limit, windowMs, before }), ...known],
    limit,
    windowMs,
    granularityMs,
    fuzzMs,
    rateRatio,
    before,
    rounding: roundingOf(view.admitted, limit),
    readings,
  };
}

function familyOp(op: LimitOp, view: GroupView): FamilyOp {
  const outcome = op.outcome === "maybe" ? "lost" : op.outcome === "other" ? "free" : op.outcome;
  const foreign = outcome === "rejected" && !view.judgesRejection(op);
  return {
    seq: op.seq,
    sentMs: op.sentMs,
    headersMs: op.headersMs,
    outcome: foreign ? "free" : outcome,
    remaining: op.requests.limit === view.limit ? op.requests.remaining : null,
  };
}

/** The operation of a request under another spelling: it may have been counted here, but was decided elsewhere. */
function disguisedOp(op: LimitOp): FamilyOp {
  return { seq: op.seq, sentMs: op.sentMs, headersMs: op.headersMs, outcome: "free", remaining: null };
}

function certificateOf(refutation: Refutation, view: GroupView): Certificate {
  const cited = view.ops.filter((op) => refutation.ops.includes(op.seq));
  return {
    kind: `family.${refutation.family}`,
    rule: "A limiter of this family decides and counts as its definition says.",
    spec: "Limits > Rate limits (over windows; reading AMB-12)",
    ops: cited.map(viewOp),
    parameters: { because: refutation.because, limit: view.limit, windowMs: view.tolerances.windowMs },
    lawfulAlternative: "another algorithm: the specification names none",
  };
}

/**
 * The experiment on which the survivors disagree most, and how far. The full exam sends it. null: no record could distinguish
 * those that are left.
 */
function nextProbe(survivors: LimitIdentification["survivors"], view: GroupView): string | null {
  const last = view.answered.findLast((op) => Number.isFinite(op.headersMs));
  if (view.limit === null || last === undefined) return null;
  const { windowMs } = view.tolerances;
  const chosen = chooseExperiment(survivors, { ops: view.ops, limit: view.limit, windowMs, nowMs: last.headersMs });
  if (chosen === null) return null;
  const { experiment, spread } = chosen;
  return `${experiment.title}: ${(spread.atMs / 1000).toFixed(0)} s after its begin they predict ${spread.low} to ${spread.high} remaining`;
}
