import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { LimitPhases, LimitPolicyId } from "../../core/exchange/limit-phase.ts";
import type { LimitOpView, TimelinePhase } from "../../core/result/limits-result.ts";
import type { RateLimitHeaderProblem } from "../../core/exchange/headers/rate-limit-headers.ts";
import type { RejectCause } from "../../core/exchange/reject-cause.ts";
import type { ResetFormat } from "../../core/exchange/headers/reset-time.ts";
import type { RetryHints } from "../../core/exchange/headers/retry-hints.ts";

/**
 * One request as the limiter checks see it. Instants are milliseconds on the run clock; absolute instants of the service
 * (reset labels, Date) are Unix milliseconds. The service decided somewhere inside [sentMs, headersMs].
 */
export interface LimitOp {
  readonly seq: number;
  readonly key: string;
  readonly endpoint: EndpointId | null;
  /** "": sent for another purpose, in the stage that stands for its phase. */
  readonly policy: LimitPolicyId | "";
  readonly phase: TimelinePhase;
  readonly label: string;
  readonly path: string;
  readonly sentMs: number;
  /** Infinity when no answer arrived: the request may have been counted at any time after it was sent. */
  readonly headersMs: number;
  readonly endMs: number;
  /** By how much the thread that sent and read may be wrong about these instants, ms; null: not known. */
  readonly lateMs: number | null;
  readonly status: number | null;
  readonly outcome: LimitDecision;
  /** Why a 429 was sent, as far as its own content says. */
  readonly cause: RejectCause | null;
  readonly requests: QuotaReading;
  readonly tokens: QuotaReading;
  readonly headerProblems: readonly RateLimitHeaderProblem[];
  /** null on anything but a rejection. */
  readonly retry: RetryHint | null;
  readonly dateMs: number | null;
  /** Our own wall clock less the run clock, whole ms; null: not known. */
  readonly ownOffsetMs: number | null;
  /** Total tokens that the response reports for itself. */
  readonly usedTokens: number | null;
  readonly promptTokens: number | null;
  /** Those of the prompt that a cache held; null: not reported, or recorded by an earlier version. */
  readonly cachedTokens: number | null;
  readonly completionTokens: number | null;
  readonly streamed: boolean;
  /** `max_tokens` of the request, when it had one. */
  readonly maxTokens: number | null;
  /** Replayed by a cache: its rate-limit headers say nothing about this request. */
  readonly cached: boolean;
}

/**
 * `admitted`: 2xx. `rejected`: 429. `other`: answered with another 4xx, which may or may not count (AMB-12).
 * `maybe`: unanswered or 5xx, may have consumed.
 */
export type LimitDecision = "admitted" | "rejected" | "other" | "maybe";

export interface QuotaReading {
  readonly limit: number | null;
  readonly remaining: number | null;
  /** Reset label as a Unix instant in ms, whatever unit it came in; null when it cannot be read as an instant. */
  readonly resetMs: number | null;
  /** How the label was written: only `unix-seconds` is what the specification names. */
  readonly resetFormat: ResetFormat | null;
}

/** All hints of a rejection; `seconds` is the first usable of header, body seconds and body milliseconds. */
export interface RetryHint extends RetryHints {
  readonly seconds: number | null;
}

/** A request that a schedule of this policy sent. */
export type OpOf<Policy extends LimitPolicyId> = LimitOp & { readonly policy: Policy; readonly phase: LimitPhases[Policy] };

/** Those of one policy: what judges it compares their phases with those of this policy only. */
export function opsOf<Policy extends LimitPolicyId>(ops: readonly LimitOp[], policy: Policy): readonly OpOf<Policy>[] {
  return ops.filter((op): op is OpOf<Policy> => op.policy === policy);
}

/** For lists that hold requests of several policies. */
export function isInPhase<Policy extends LimitPolicyId>(op: LimitOp, policy: Policy, ...phases: LimitPhases[Policy][]): boolean {
  return op.policy === policy && phases.some((phase) => phase === op.phase);
}

export function viewOp(op: LimitOp): LimitOpView {
  return {
    seq: op.seq,
    sentMs: op.sentMs,
    headersMs: Number.isFinite(op.headersMs) ? op.headersMs : null,
    status: op.status,
    remaining: op.requests.remaining,
    resetSeconds: op.requests.resetMs === null ? null : op.requests.resetMs / 1000,
    retryAfterSeconds: op.retry?.seconds ?? null,
  };
}

/** The earliest instant at which its answer may have come, if it was sent at once: the instrument may have been late at both. */
export function answeredFromMs({ sentMs, headersMs, lateMs }: Pick<LimitOp, "sentMs" | "headersMs" | "lateMs">): number {
  // Records that do not say how late the instrument was are judged as they were.
  return Math.max(sentMs, headersMs - 2 * (lateMs ?? 0));
}

/** From the first send instant to the last answer, as it is said in a message. */
export function describeSpan(ops: readonly LimitOp[]): string {
  const fromMs = ops.reduce((least, op) => Math.min(least, op.sentMs), Number.POSITIVE_INFINITY);
  const toMs = ops.reduce((most, op) => Math.max(most, op.headersMs), 0);
  const ms = toMs - fromMs;
  return ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** A rejection for another reason may print a zero that is not the counter's. */
export function readsCounter(op: LimitOp): boolean {
  return op.outcome === "admitted" || (op.outcome === "rejected" && op.cause === "requests");
}
