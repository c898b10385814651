import { findLimitCheck } from "../../core/checks/limit-checks.ts";
import type { LimitCheckId } from "../../core/checks/limit-check.ts";
import type { LimitCertificate, LimitTier } from "../../core/result/limits-result.ts";
import type { Verdict } from "../../core/result/verdict.ts";
import type { Certificate, CertificateKind } from "../certificates/certificate-kind.ts";
import type { ClockOffset } from "../history/clock-offset.ts";
import { viewOp, type LimitOp } from "../history/op.ts";
import type { IntervalCounter } from "../history/sorted.ts";
import type { Tolerances } from "../history/tolerances.ts";

/** What one check says about one policy. */
export interface Check {
  readonly id: LimitCheckId;
  readonly title: string;
  readonly requirements: readonly string[];
  readonly tier: LimitTier;
  readonly verdict: Verdict;
  readonly message: string;
  /** What would have been correct, where the message does not say so. */
  readonly correct?: string;
  readonly considered: number;
  readonly needed: number;
  readonly certificate: Certificate | null;
  /** The requests that prove it, the subject first. */
  readonly exchanges: readonly number[];
  readonly expected: string;
  readonly observed: string;
}

/** All that a check may look at: the requests of one key on one endpoint and what is known about it. */
export interface GroupView {
  readonly id: string;
  readonly key: string;
  readonly endpoint: LimitOp["endpoint"];
  /** By send instant. Replays of a cache are left out. */
  readonly ops: readonly LimitOp[];
  /** Those of `ops` that were answered, by the instant of the answer. */
  readonly answered: readonly LimitOp[];
  readonly admitted: readonly LimitOp[];
  /** Sent under another spelling of the path: they may be counted here, but what they read may be another counter. */
  readonly spelled: readonly LimitOp[];
  readonly rejected: readonly LimitOp[];
  /** Whatever may have consumed: all but requests of which a 429 says that they did not, when rejections are free. */
  readonly consumers: IntervalCounter;
  /** As `consumers`, rejections included: some limiters count them (AMB-12). */
  readonly contenders: IntervalCounter;
  /** Most frequent limit header; where no answer has one, what the manifest declares; null when neither says it. */
  readonly limit: number | null;
  /** No answer states a limit or what remains: only admissions, refusals and waits can be judged. */
  readonly unstated: boolean;
  readonly offset: ClockOffset | null;
  readonly tolerances: Tolerances;
  /** Before this instant own requests may be missing from the history. */
  readonly knownFromMs: number;
  /** Nobody else uses the key, by declaration. */
  readonly exclusive: boolean;
  /** Whether a 429 can be attributed to the request limit of this group: it says so, or every other limit is known to be out of the way. */
  judgesRejection(op: LimitOp): boolean;
  /** Whether a 429 can be neither of this limit, which still shows something left, nor of a burst allowance that the manifest knows. */
  isOtherLimit(op: LimitOp): boolean;
  readonly strict: boolean;
}

export interface CheckHead {
  readonly id: LimitCheckId;
  readonly title: string;
  readonly requirements: readonly string[];
  readonly needed: number;
}

export function passed(head: CheckHead, considered: number, message: string): Check {
  if (considered < head.needed) return inconclusive(head, considered, `${considered} of ${head.needed} observations needed`);
  return { ...inconclusive(head, considered, message), tier: "unrefuted", verdict: "pass" };
}

export function inconclusive(head: CheckHead, considered: number, message: string): Check {
  const nothing = { certificate: null, exchanges: [], expected: "", observed: "" };
  return { ...head, tier: "inconclusive", verdict: "inconclusive", message, considered, ...nothing };
}

export interface Accusation {
  /** Of the certificate; absent: the id of the check. */
  readonly kind?: CertificateKind;
  readonly message: string;
  readonly rule: string;
  readonly spec: string;
  readonly ops: readonly LimitOp[];
  /** Absent: none. */
  readonly parameters?: LimitCertificate["parameters"];
  /** What would have been correct, where the message does not say so: it is said after it. */
  readonly correct?: string;
  /** Absent: what would have been correct, or is expected. */
  readonly lawfulAlternative?: string;
  readonly expected: string;
  readonly observed: string;
}

/** `fail`: a contradiction that no lawful limiter can show. `advisory`: proven as well, but of a rule that the specification only implies. */
export function accused(head: CheckHead, considered: number, verdict: "fail" | "advisory", accusation: Accusation): Check {
  const { kind = head.id, message, rule, spec, ops, parameters = {}, correct, expected, observed } = accusation;
  const { lawfulAlternative = correct ?? expected } = accusation;
  return {
    ...head,
    tier: verdict === "fail" ? "violation" : "unrefuted",
    verdict,
    message,
    ...(correct === undefined ? {} : { correct }),
    considered,
    certificate: { kind, rule, spec, ops: ops.map(viewOp), parameters, lawfulAlternative },
    exchanges: ops.map((op) => op.seq),
    expected,
    observed,
  };
}

/** Requests per millisecond that the limit allows on average. */
export function ratePerMs(limit: number, tolerances: Tolerances): number {
  return (limit / tolerances.windowMs) * (1 + tolerances.rateRatio);
}

/** What every verdict of a check repeats, from the one list of checks; `needed`: observations below which it does not pass. */
export function checkHead(id: LimitCheckId, needed = 1): CheckHead {
  const { title, requirements } = findLimitCheck(id)!;
  return { id, title, requirements, needed };
}

/** The coarsest batch in which a lawful bucket is assumed to refill, ms. */
export const coarsestBatchMs = 12_000;

/** Why there is no rejection to judge: none came, or those that came cannot be attributed to the request limit. */
export function describeUnattributed(rejected: readonly LimitOp[]): string {
  if (rejected.length === 0) return "no request was rejected";
  return `${rejected.length} requests were rejected, none of them certainly by the request limit: they show requests left, or another limit may have refused them`;
}
