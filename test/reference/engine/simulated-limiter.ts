import type { EndpointId } from "../../../src/core/exchange/endpoint.ts";
import { patchEngine } from "../../../src/reference/switches/patches/patch-engine.ts";
import { racingLimits } from "../../../src/reference/switches/patches/patch-admission-rules.ts";
import type { Switchboard } from "../../../src/reference/switches/switch.ts";
import type { RateHeaders } from "../../../src/reference/engine/admission.ts";
import type { RateLimits } from "../../../src/reference/engine/keys/key-record.ts";
import { rateHeaders } from "../../../src/reference/engine/limiter/header-rules.ts";
import { RateLimiter } from "../../../src/reference/engine/limiter/rate-limiter.ts";
import { counterName, type RateCheck, type RateHold, type RateView } from "../../../src/reference/engine/limiter/rate-op.ts";
import { renderLimitRefusal } from "../../../src/reference/engine/admission/request-admission.ts";

/** A request to the limiter alone: no keys, no caps, no HTTP. */
export interface SimulatedRequest {
  readonly key: string;
  readonly endpoint: EndpointId;
  /** Tokens to hold; default 0. */
  readonly tokens?: number;
  readonly rawUrl?: string;
}

export interface SimulatedAnswer {
  readonly status: number;
  /** The six rate headers, and `retry-after` on refusal. */
  readonly headers: RateHeaders;
  readonly body: Readonly<Record<string, unknown>> | null;
}

/** A decision under way; opaque to callers. */
export interface SimulatedDecision {
  readonly check: RateCheck;
  hold: RateHold | null;
  view: RateView | null;
  /** The instant from which a refused request would be let in. */
  admitsAtMs: number | null;
}

/**
 * The limiter of the reference service under instants that the caller makes up, for histories by the thousand: call `begin` at
 * the instant of the decision, `commit` when the store has been written, `answer` when the head leaves. If `atomic`, `commit`
 * belongs directly after `begin`.
 */
export interface SimulatedLimiter {
  readonly atomic: boolean;
  begin(request: SimulatedRequest, nowMs: number): SimulatedDecision;
  commit(decision: SimulatedDecision, nowMs: number): void;
  answer(decision: SimulatedDecision, nowMs: number): SimulatedAnswer;
  /** Replaces the held tokens by what was used. */
  settle(decision: SimulatedDecision, usedTokens: number, nowMs: number): void;
}

export function createSimulatedLimiter(limits: RateLimits, switches: Switchboard, seed: number): SimulatedLimiter {
  const seams = patchEngine(switches, { seed });
  const limiter = new RateLimiter(seams.limiter);
  return {
    atomic: !racingLimits.some((id) => switches.on(id)),
    begin: ({ key, endpoint, tokens = 0, rawUrl = "" }, nowMs) => ({
      check: limiter.check({ keyId: key, endpoint, rawUrl, fields: {}, streaming: false, limits, holdTokens: tokens }, nowMs),
      hold: null,
      view: null,
      admitsAtMs: null,
    }),
    commit: (decision, nowMs) => {
      const { check } = decision;
      if (check.verdict.kind === "fits") decision.hold = limiter.take(check, nowMs);
      else decision.admitsAtMs = limiter.refuse(check, nowMs);
      decision.view = limiter.view(check, nowMs);
    },
    answer: (decision, nowMs) => {
      const { check } = decision;
      const fits = check.verdict.kind === "fits";
      const late = decision.view === null || (fits && seams.headers.readsLate());
      const view = late ? limiter.view(check, nowMs) : decision.view!;
      const counter = counterName(check.op);
      if (check.verdict.kind === "fits") {
        return { status: 200, headers: rateHeaders(view, { counter, counted: true, refused: false }, seams.headers), body: null };
      }
      const { admitsAtMs } = decision;
      const { meter } = check.verdict;
      const rate = rateHeaders(view, { counter, counted: false, refused: meter === "requests" }, seams.headers);
      const waitMs = admitsAtMs === null ? limits.windowMs : admitsAtMs - check.atMs;
      const refusal = renderLimitRefusal({ cause: meter, nowMs: check.atMs, waitMs }, seams.refusal);
      return { status: refusal.status, headers: { ...rate, ...refusal.headers }, body: refusal.body };
    },
    settle: (decision, usedTokens, nowMs) => {
      if (decision.hold !== null) limiter.settle(decision.hold, usedTokens, nowMs);
    },
  };
}
