import type { LimitCertificate } from "../../core/result/limits-result.ts";
import type { RequestCertificateKind } from "../verdict/certificate-kind.ts";
import type { Check } from "../verdict/check.ts";
import type { GroupView } from "../history/group-view.ts";
import type { LimitOp } from "../history/op.ts";
import { batchOf, labelsCrowd, between, statedWaitsMs } from "./certificate-steps.ts";
import { verifyGivenBack } from "./verify-given-back.ts";
import { verifyLoss } from "./verify-loss.ts";
import { verifyMovedLabels } from "./verify-moved-labels.ts";
import { verifyRows } from "./verify-rows.ts";
import { verifyStatedWait } from "./verify-stated-wait.ts";
import { verifyUncounted } from "./verify-uncounted.ts";

/**
 * Re-checks an accusation from its certificate and the raw requests, without any code that found it: plain loops over the
 * definition. An accusation that it cannot confirm is inconclusive, and its message says why.
 */
export function verifyChecks(checks: readonly Check[], view: GroupView): readonly Check[] {
  return checks.map((check) => {
    if (check.certificate === null || check.tier !== "violation") return check;
    const doubt = verifyCertificate(check.certificate, [...view.ops, ...view.disguised], view.tolerances.windowMs);
    if (doubt === null) return check;
    const message = `the certificate did not verify: ${doubt}`;
    return { ...check, tier: "inconclusive", verdict: "inconclusive", message, certificate: null, withheld: true };
  });
}

/** A certificate with what it is checked against. */
interface Evidence {
  readonly certificate: LimitCertificate;
  readonly ops: readonly LimitOp[];
  readonly bySeq: ReadonlyMap<number, LimitOp>;
  /** The requests that it cites, in its order, and the first two of them. */
  readonly named: readonly LimitOp[];
  readonly first: LimitOp | undefined;
  readonly second: LimitOp | undefined;
  readonly windowMs: number;
  /** One of its parameters. */
  readonly number: (name: string) => number;
}

/** null when the certificate proves what it says, else the reason of the doubt. */
type Rule = (evidence: Evidence) => string | null;

/** As `Rule`, for any certificate of the request limit. */
export function verifyCertificate(certificate: LimitCertificate, ops: readonly LimitOp[], windowMs: number): string | null {
  const bySeq = new Map(ops.map((op) => [op.seq, op]));
  const cited = certificate.ops.map((view) => bySeq.get(view.seq));
  if (cited.some((op) => op === undefined)) return "it cites a request that is not in the history";
  const named = cited.filter((op) => op !== undefined);
  const number = (name: string): number => Number(certificate.parameters[name]);
  const [first, second] = named;
  const rule = ruleOf.get(certificate.kind);
  return rule === undefined
    ? `no rule to verify ${certificate.kind}`
    : rule({ certificate, ops, bySeq, named, first, second, windowMs, number });
}

const statedWait: Rule = ({ certificate, first, windowMs }) => verifyStatedWait(certificate, first!, windowMs);
const rows: Rule = ({ certificate, ops, named, windowMs }) => verifyRows(certificate, ops, named, windowMs);

const rules: Readonly<Record<RequestCertificateKind, Rule>> = {
  "lost-update": ({ certificate, bySeq }) => verifyLoss(certificate, bySeq),
  "over-admission": ({ named, number, windowMs }) => {
    const from = Math.min(...named.map((op) => op.sentMs));
    const to = Math.max(...named.map((op) => op.headersMs));
    const most = number("limit") * (1 + Math.ceil((to - from) / windowMs));
    return named.every((op) => op.outcome === "admitted") && named.length > most ? null : "too few admitted requests in the span";
  },
  "over-window": ({ ops, named, number }) => {
    const labels = new Set(named.map((op) => op.requests.resetMs).filter((resetMs) => resetMs !== null));
    const naming = ops.filter((op) => labels.has(op.requests.resetMs!));
    const enclosed = named.every(
      (op) =>
        op.requests.resetMs !== null ||
        (naming.some((one) => one.headersMs < op.sentMs) && naming.some((one) => one.sentMs > op.headersMs)),
    );
    const enough = named.length > number("limit") + number("renewal");
    return labels.size === 1 && enclosed && enough && named.every((op) => op.outcome === "admitted")
      ? null
      : "not one window, or too few";
  },
  "under-admission": ({ ops, first, windowMs }) => {
    const since = first!.sentMs - 2 * windowMs;
    const others = ops.filter((op) => op.seq !== first!.seq && op.headersMs >= since && op.sentMs <= first!.headersMs);
    return others.length === 0 && first!.status === 429 ? null : "other requests may have used the allowance";
  },
  "under-admission-at-pace": ({ ops, number, first, windowMs }) => verifyPace(ops, first!, number("limit"), windowMs),
  "not-restored": ({ ops, first, second, windowMs }) => {
    const since = second!.sentMs - 2 * windowMs;
    const silent = !ops.some((op) => op !== second && op.headersMs >= since && op.sentMs <= second!.headersMs);
    const less = (first!.requests.remaining ?? 0) - (second!.requests.remaining ?? Number.POSITIVE_INFINITY) > 2;
    return silent && less && first!.headersMs < since && first!.requests.limit === second!.requests.limit
      ? null
      : "something may have used the allowance, or it is all there";
  },
  "not-given-back": ({ certificate, ops, named, windowMs }) => verifyGivenBack(certificate, ops, named, windowMs),
  "limit-flaps": ({ named, number }) => {
    const alternates = named.every(
      (op, index) =>
        index === 0 ||
        (op.requests.limit !== named[index - 1]!.requests.limit &&
          op.sentMs - named[index - 1]!.headersMs >= number("rolloutMs")),
    );
    return alternates && named.length >= 4 ? null : "one change of the limit explains it";
  },
  claim: ({ ops, number, first, second }) => {
    const others = between(ops, first!, second!);
    const promised = number("promised") - number("rounding") + 1;
    const truthful = number("promised") <= (first!.requests.remaining ?? 0);
    return truthful && promised > others && first!.headersMs < second!.sentMs && second!.status === 429
      ? null
      : "the promise may have been used up";
  },
  "phantom-drop": ({ ops, number, first, second, windowMs }) => {
    const fell = (first!.requests.remaining ?? 0) - (second!.requests.remaining ?? 0);
    // Instances whose clocks differ decide as if a request had come so much earlier or later; rounding hides up to a step on each side.
    const skewMs = number("apartMs");
    const forward = skewMs >= number("fuzzMs") || (first!.requests.resetMs ?? Infinity) <= (second!.requests.resetMs ?? 0);
    const lag = forward && skewMs < number("fuzzMs") ? Math.ceil((number("limit") / windowMs) * number("fuzzMs")) : 0;
    const counted = between(ops, first!, second!, skewMs) + 2 + lag + 2 * (number("rounding") - 1);
    return forward && fell > counted && first!.headersMs + skewMs < second!.sentMs ? null : "enough requests to explain the drop";
  },
  "reset-broken": ({ certificate, ops, number, first, second, windowMs }) => {
    const pair = verifyQuietPair(
      ops,
      first!,
      second!,
      () =>
        second!.sentMs + number("offsetLowMs") > first!.requests.resetMs! + 1000 &&
        // A label rounded up to the next second may still name the present.
        first!.requests.resetMs! - number("granularityMs") > first!.headersMs + number("offsetHighMs"),
    );
    return pair ?? verifyFaded(certificate, ops, first!, second!, windowMs);
  },
  "retry-short": ({ ops, first, second }) =>
    verifyQuietPair(ops, first!, second!, () => second!.sentMs - first!.headersMs >= Math.min(...statedWaitsMs(first!))),
  "reset-past": ({ number, first }) =>
    first!.sentMs + number("offsetLowMs") > first!.requests.resetMs! + 1000 ? null : "the label is not in the past",
  "reset-far": ({ number, first }) =>
    first!.requests.resetMs! > first!.headersMs + number("offsetHighMs") + 86_400_000 ? null : "the label is within a day",
  "reset-format": ({ first }) => (first!.requests.resetFormat === "unix-seconds" ? "the label is in Unix seconds" : null),
  "retry-form": statedWait,
  "retry-agree": statedWait,
  "retry-unit": statedWait,
  "retry-absurd": statedWait,
  "limit-declared": ({ number, first }) =>
    first!.requests.limit === number("declared") ? "the limit is the declared one" : null,
  "remaining-range": ({ certificate, first }) =>
    first!.headerProblems.some((problem) => problem.header === certificate.parameters["header"])
      ? null
      : "the header is in order",
  "early-renewal": ({ ops, named, number, first, second, windowMs }) => {
    const rose = (second!.requests.remaining ?? 0) - (first!.requests.remaining ?? 0);
    const early = second!.headersMs + number("offsetHighMs") < (first!.requests.resetMs ?? 0);
    const refill =
      (number("limit") / windowMs) * (second!.headersMs - first!.sentMs) +
      batchOf(ops, named.slice(2), number("limit"), windowMs);
    return early && first!.headersMs < second!.sentMs && rose > refill ? null : "a refill or the stated reset explains the rise";
  },
  "label-moved": ({ certificate, ops, named, windowMs }) => verifyMovedLabels(certificate, ops, named, windowMs),
  "more-than-remained": ({ ops, named, number, first, windowMs }) => {
    const members = named.slice(1, 1 + number("count"));
    const toMs = Math.max(...members.map((op) => op.headersMs));
    const early = toMs + number("offsetHighMs") < (first!.requests.resetMs ?? 0) || labelsCrowd(ops, windowMs);
    const after = members.every((op) => op.outcome === "admitted" && op.sentMs > first!.headersMs);
    const refill =
      (number("limit") / windowMs) * (toMs - first!.sentMs) +
      batchOf(ops, named.slice(1 + number("count")), number("limit"), windowMs);
    return early && after && members.length - (first!.requests.remaining ?? Infinity) > refill
      ? null
      : "a refill or the stated reset explains them";
  },
  "repeated-reading": rows,
  "rise-on-refusal": rows,
  uncounted: ({ certificate, ops, named, windowMs }) => verifyUncounted(certificate, ops, named, windowMs),
  bypass: ({ named, number, first }) => {
    const inner = named.slice(1, -1);
    const enclosed = inner.every(
      (op) => op.outcome === "admitted" && op.sentMs >= first!.headersMs && op.headersMs <= named.at(-1)!.sentMs,
    );
    const spanMs = named.at(-1)!.headersMs - first!.sentMs;
    return enclosed && inner.length > (number("limit") / number("windowMs")) * spanMs + 1
      ? null
      : "a refill explains the admissions";
  },
  isolation: ({ ops, first, second }) => {
    const fell = (first!.requests.remaining ?? 0) - (second!.requests.remaining ?? 0);
    return fell > between(ops, first!, second!) + 2 && first!.key === second!.key ? null : "own requests explain the drop";
  },
  "under-admission-by-reading": ({ ops, number, first, second, windowMs }) => {
    const since = first!.sentMs - 2 * windowMs;
    const others = ops.filter((op) => op.seq !== first!.seq && op.headersMs >= since && op.sentMs <= first!.headersMs);
    const held = second!.requests.remaining ?? 0;
    const quiet = others.every((op) => first!.sentMs - op.headersMs >= Math.max(2000, (2 * windowMs) / number("limit")));
    return first!.status === 429 && second!.outcome === "admitted" && second!.headersMs < since && others.length < held && quiet
      ? null
      : "the allowance may have been used up";
  },
  capacity: ({ ops, named, number }) => {
    const [last, whole] = [named.at(-1)!, named.slice(0, -1)];
    const reads = (op: LimitOp, remaining: number): boolean =>
      op.outcome === "admitted" && op.requests.limit === number("limit") && op.requests.remaining === remaining;
    const alone = whole.every((op) => !ops.some((one) => one !== op && one.headersMs > op.sentMs && one.sentMs < op.headersMs));
    return whole.length >= 2 && alone && reads(last, 0) && whole.every((op) => reads(op, number("limit")))
      ? null
      : "the readings come from one allowance of the limit";
  },
  "standing-refusal": ({ ops, number, first, second, windowMs }) => {
    const says = (op: LimitOp): boolean => op.status === 429 && (op.requests.remaining ?? 0) >= 1;
    const pauseMs = second!.sentMs - first!.headersMs;
    const [early, late] = [first!.requests.resetMs, second!.requests.resetMs];
    const ahead = early !== null && second!.headersMs + number("offsetHighMs") < early;
    // One batch of twelve seconds at most is under way.
    const refillingMs = Math.max(pauseMs / 2, pauseMs - 12_000);
    return says(first!) &&
      says(second!) &&
      (ahead || (early !== null && early === late)) &&
      between(ops, first!, second!) === 0 &&
      refillingMs * number("limit") >= 2 * windowMs
      ? null
      : "a fraction that is rounded up may have remained";
  },
  "over-before-wait": ({ named, number, windowMs }) => {
    const [refused, ...members] = named;
    const beganMs = refused!.headersMs + (refused!.retry?.seconds ?? 0) * 1000 - windowMs;
    const inside = members.every((op) => op.outcome === "admitted" && op.sentMs > beganMs && op.headersMs < refused!.sentMs);
    const spanMs = refused!.sentMs - Math.min(...members.map((op) => op.sentMs));
    return inside && members.length > number("limit") * (1 + spanMs / windowMs) ? null : "a window or a refill holds as many";
  },
  "between-refusals": ({ ops, named, number, first, windowMs }) => {
    const [members, last] = [named.slice(1, -1), named.at(-1)!];
    const inside = members.every((op) => op.outcome === "admitted" && op.sentMs > first!.headersMs && op.headersMs < last.sentMs);
    const counted = ops.filter((op) => op.outcome !== "rejected" && op.headersMs >= first!.sentMs && op.sentMs <= last.headersMs);
    const slid = ops.filter((op) => op.headersMs >= first!.sentMs - windowMs && op.sentMs <= last.headersMs - windowMs);
    const refill = (number("limit") / windowMs) * (last.headersMs - first!.sentMs + 12_000);
    const isRefused = first!.status === 429 && last.status === 429;
    return isRefused && inside && counted.length < number("limit") && members.length > refill + slid.length
      ? null
      : "a new window or a refill explains them";
  },
  "refusal-kind": ({ ops, named, number, windowMs }) => {
    const beyond = (op: LimitOp): boolean =>
      ops.filter((one) => one.outcome === "admitted" && one.headersMs < op.sentMs && one.sentMs >= op.sentMs - windowMs).length >=
      number("limit");
    const other = named.every((op) => op.status !== null && op.status !== 429 && op.outcome !== "admitted");
    return other && named.length >= 3 && named.every(beyond) ? null : "they may be errors below the limit";
  },
};
const ruleOf: ReadonlyMap<string, Rule> = new Map(Object.entries(rules));

/**
 * The window that ended at the label may be that of a sliding counter: whatever it can have counted weighs on the next one by the
 * share of it that still lies within a window's reach.
 */
function verifyFaded(
  { parameters }: LimitCertificate,
  ops: readonly LimitOp[],
  labelled: LimitOp,
  rejected: LimitOp,
  windowMs: number,
): string | null {
  const endMs = labelled.requests.resetMs!;
  const beganMs = endMs - windowMs - Number(parameters["granularityMs"]) - Number(parameters["offsetHighMs"]);
  const counted = ops.filter((op) => op.headersMs >= beganMs && op.sentMs <= labelled.sentMs).length;
  // The label may be rounded down by a second.
  const sinceMs = rejected.sentMs + Number(parameters["offsetLowMs"]) - endMs - 1000;
  return (1 - sinceMs / windowMs) * counted <= Number(parameters["limit"]) - 1
    ? null
    : "the window that ended there may still have weighed on the next";
}

/** Fewer than the limit in two windows, and the k-th request before it lay further back than k + 1 requests take at the average rate. */
function verifyPace(ops: readonly LimitOp[], rejected: LimitOp, limit: number, windowMs: number): string | null {
  const others = ops.filter((op) => op.seq !== rejected.seq && op.sentMs <= rejected.headersMs);
  const recent = others.filter((op) => op.headersMs >= rejected.sentMs - 2 * windowMs);
  if (rejected.status !== 429 || recent.length >= limit) return "the allowance of a window may have been used up";
  const gapsMs = others.map((op) => rejected.sentMs - op.headersMs).sort((a, b) => a - b);
  const crowded = gapsMs.some((gapMs, index) => gapMs < 12_000 + windowMs / limit && gapMs * limit < (index + 2) * windowMs);
  return crowded ? "requests shortly before it may have emptied a small bucket" : null;
}

function verifyQuietPair(ops: readonly LimitOp[], first: LimitOp, second: LimitOp, due: () => boolean): string | null {
  if (second.status !== 429) return "the later request was not rejected";
  if (between(ops, first, second) > 0) return "another request came in between";
  return due() ? null : "the promise was not due yet";
}
