import type { Ticket, Consumption } from "../admission.ts";
import { rateHeaders } from "../limiter/header-rules.ts";
import { counterName, type RateHold } from "../limiter/rate-op.ts";
import type { SpendHold } from "../spend/spend-balance.ts";
import type { AdmissionParts } from "./admission-parts.ts";
import type { Arrival } from "./arrival.ts";
import { noteArrival } from "./note-arrival.ts";

/** The amounts that were taken for a request that was let in. */
export interface Taken {
  readonly admittedAtMs: number;
  readonly rate: RateHold;
  readonly spend: SpendHold;
}

/** `isVoid`: the engine has been set to another state since. */
export function createTicket(parts: AdmissionParts, arrival: Arrival, taken: Taken, isVoid: () => boolean): Ticket {
  const { clock, limiter, seams } = parts;
  const { check } = taken.rate;
  const atDecision = limiter.view(check, taken.admittedAtMs);
  let settled = false;
  return {
    admittedAtMs: taken.admittedAtMs,
    queuedMs: taken.admittedAtMs - arrival.arrivedMs,
    // Requests as decided, so that no two responses of a window show the same number; tokens as known by now.
    rateHeaders: () => {
      const now = limiter.view(check, clock.wallMs());
      const view = seams.headers.readsLate() ? now : { ...atDecision, tokens: now.tokens };
      return rateHeaders(view, { counter: counterName(check.op), counted: true, refused: false }, seams.headers);
    },
    settle: (outcome) => {
      if (settled || isVoid()) return;
      settled = true;
      settle(parts, arrival, taken, outcome);
    },
  };
}

/** Replaces what was held by what was used, in every counter. */
function settle(parts: AdmissionParts, arrival: Arrival, taken: Taken, outcome: Consumption): void {
  const { clock, limiter, ledger, usage, seams } = parts;
  const { key, work } = arrival;
  const charge = seams.tokens.toCharge(work, outcome, taken.rate.heldTokens);
  seams.admission.settleTokens(
    () => limiter.settle(taken.rate, charge, clock.wallMs()),
    () => limiter.tokenCounter(taken.rate, clock.wallMs()),
    clock,
  );
  if (!seams.admission.keepsCount(outcome.ended)) limiter.uncount(taken.rate, clock.wallMs());
  const costMicros = outcome.ended === "failed" ? 0 : outcome.costMicros;
  ledger.settle(taken.spend, costMicros, clock.wallMs());
  if (outcome.ended !== "failed" && (costMicros > 0 || outcome.promptTokens + outcome.completionTokens > 0)) {
    usage.record({
      atMs: Math.floor(taken.admittedAtMs),
      account: key.account,
      keyId: key.id,
      endpoint: work.endpoint,
      streaming: work.streaming,
      aborted: outcome.ended === "aborted",
      items: outcome.items ?? 1,
      promptTokens: outcome.promptTokens,
      completionTokens: outcome.completionTokens,
      costMicros,
    });
  }
  noteArrival(parts, arrival, "settled");
}
