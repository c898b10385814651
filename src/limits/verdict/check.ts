import { findLimitCheck } from "../../core/result/checks/limit-checks.ts";
import type { LimitCheckId } from "../../core/result/checks/limit-check.ts";
import type { LimitCertificate, LimitTier, Overshoot } from "../../core/result/limits-result.ts";
import type { Verdict } from "../../core/result/verdict.ts";
import type { Certificate, CertificateKind } from "./certificate-kind.ts";
import { viewOp, type LimitOp } from "../history/op.ts";

/** The verdict of one check on one policy. */
export interface Check {
  readonly id: LimitCheckId;
  readonly title: string;
  readonly requirements: readonly string[];
  readonly tier: LimitTier;
  readonly verdict: Verdict;
  readonly message: string;
  /** The correct behaviour, if the message does not say it. */
  readonly correct?: string;
  readonly considered: number;
  readonly needed: number;
  readonly certificate: Certificate | null;
  /** The requests that prove it, the subject first. */
  readonly exchanges: readonly number[];
  readonly expected: string;
  readonly observed: string;
  readonly overshoot?: Overshoot;
  /** It was an accusation, and nothing confirms or refutes it: a policy and a row that it concerns stay open. Absent: it was none. */
  readonly withheld?: true;
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

/** An accusation that something else may explain: no finding, and no acquittal. */
export function withhold(accusation: Check, message: string): Check {
  const open = { ...accusation, tier: "inconclusive", verdict: "inconclusive", message, certificate: null } as const;
  return accusation.verdict === "fail" ? { ...open, withheld: true } : open;
}

/** The target is lawful and shows nothing that the check could compare: asking it again would show no more. */
export function notApplicable(head: CheckHead, considered: number, message: string): Check {
  return { ...inconclusive(head, considered, message), tier: "unrefuted", verdict: "not-applicable" };
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
  /** The correct behaviour, if the message does not say it: it is written after it. */
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

/**
 * The members that every verdict of a check repeats, from the one list of checks; `needed`: observations below which it does
 * not pass.
 */
export function checkHead(id: LimitCheckId, needed = 1): CheckHead {
  const { title, requirements } = findLimitCheck(id)!;
  return { id, title, requirements, needed };
}

/** Why there is no rejection to judge: none came, or those that came cannot be attributed to the request limit. */
export function describeUnattributed(rejected: readonly LimitOp[]): string {
  if (rejected.length === 0) return "no request was rejected";
  return `${rejected.length} requests were rejected, none of them certainly by the request limit: they show requests left, or another limit may have refused them`;
}
