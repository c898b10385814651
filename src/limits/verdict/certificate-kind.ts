import type { LimitCertificate } from "../../core/result/limits-result.ts";
import type { LimitCheckId } from "../../core/result/checks/limit-check.ts";

/** Proofs about the request limit: each has its rule in `verify-certificate.ts`. */
export type RequestCertificateKind =
  | ("lost-update" | "over-admission" | "over-window" | "under-admission" | "under-admission-at-pace")
  | ("not-restored" | "not-given-back" | "limit-flaps" | "claim" | "phantom-drop" | "reset-broken")
  | ("retry-short" | "reset-past" | "reset-far" | "reset-format" | "retry-form" | "retry-agree")
  | ("retry-unit" | "retry-absurd" | "limit-declared" | "remaining-range" | "early-renewal")
  | ("label-moved" | "more-than-remained" | "repeated-reading" | "rise-on-refusal" | "uncounted")
  | ("bypass" | "isolation" | "under-admission-by-reading" | "capacity" | "standing-refusal")
  | ("over-before-wait" | "between-refusals" | "refusal-kind");

/** Proofs about bursts, tokens and queues: each has its rule in `verify-policy-certificate.ts`. */
export type PolicyCertificateKind =
  | ("burst-over" | "burst-long" | "burst-held" | "burst-under" | "burst-under-probe" | "token-charge")
  | ("cooldown-promise" | "left-charge" | "left-count" | "left-slots")
  | ("token-limit" | "token-phantom" | "queue-lost" | "token-sum" | "token-overcharge" | "queue-order" | "queue-mixed");

/** Certificates of advisories, which no rule checks again. */
type AdvisoryCertificateKind =
  | ("remaining-on-reject" | "reset-order" | "reset-distance" | "clock-jump" | "limit-changed")
  | ("retry-far" | "retry-long" | "limit-unreachable");

/** Why an algorithm does not explain a history. */
type RefutationKind = `family.${string}`;

/** The claim that a certificate proves: a kind of its own, or the id of the check that it stands for. */
export type CertificateKind =
  | RequestCertificateKind
  | PolicyCertificateKind
  | AdvisoryCertificateKind
  | RefutationKind
  | LimitCheckId;

/** As checks of this version write it; a result that is read may hold kinds of another. */
export interface Certificate extends LimitCertificate {
  readonly kind: CertificateKind;
}
