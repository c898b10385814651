import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import { createRandom } from "../../../core/random.ts";
import type { Switchboard } from "../../defects/switch.ts";
import type { RateHeaders } from "../admission.ts";
import type { RateLimits } from "../keys/key-record.ts";
import { renderLimitRefusal } from "../limit-refusal.ts";
import { createHeaderWriter } from "./rate-headers.ts";
import { createRateLimiter, type RateCheck, type RateHold, type RateView } from "./rate-limiter.ts";

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
  /** Where refused: instant from which the request would be let in. */
  admitsAtMs: number | null;
}

/**
 * The limiter of the reference service under instants that the caller makes up, for histories by the thousand: call
 * `begin` at the instant of the decision, `commit` when the store has been written, `answer` when the head leaves.
 * Where `atomic`, `commit` belongs directly after `begin`.
 */
export interface SimulatedLimiter {
  readonly atomic: boolean;
  begin(request: SimulatedRequest, nowMs: number): SimulatedDecision;
  commit(decision: SimulatedDecision, nowMs: number): void;
  answer(decision: SimulatedDecision, nowMs: number): SimulatedAnswer;
  /** Replaces the held tokens by what was used. */
  settle(decision: SimulatedDecision, usedTokens: number, nowMs: number): void;
}

/** Switches that write a counter some time after reading it. */
export const racingLimits: readonly string[] = [
  "limits/lost-updates",
  "limits/check-then-increment",
  "limits/bucket-read-modify-write",
  "limits/log-check-then-add",
];

export function createSimulatedLimiter(limits: RateLimits, switches: Switchboard, seed: number): SimulatedLimiter {
  const limiter = createRateLimiter(switches, createRandom(seed));
  const writer = createHeaderWriter(switches);
  const subject = ({ check }: SimulatedDecision): string => `${check.op.keyId} ${check.op.endpoint ?? "unknown"}`;
  return {
    atomic: !racingLimits.some((id) => switches.on(id)),
    begin: ({ key, endpoint, tokens = 0, rawUrl = "" }, nowMs) => ({
      check: limiter.check({ keyId: key, endpoint, rawUrl, limits, holdTokens: tokens }, nowMs),
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
      const late = decision.view === null || (fits && switches.on("limits/remaining-late-read"));
      const view = late ? limiter.view(check, nowMs) : decision.view!;
      if (check.verdict.kind === "fits") {
        return {
          status: 200,
          headers: writer.write(view, { counter: subject(decision), counted: true, refused: false }),
          body: null,
        };
      }
      const { admitsAtMs } = decision;
      const { meter } = check.verdict;
      const refused = meter === "requests";
      const rate = writer.write(view, { counter: subject(decision), counted: false, refused });
      const waitMs = admitsAtMs === null ? limits.windowMs : admitsAtMs - check.atMs;
      const refusal = renderLimitRefusal({ cause: meter, nowMs: check.atMs, waitMs }, switches);
      return { status: refusal.status, headers: { ...rate, ...refusal.headers }, body: refusal.body };
    },
    settle: (decision, usedTokens, nowMs) => {
      if (decision.hold !== null) limiter.settle(decision.hold, usedTokens, nowMs);
    },
  };
}
