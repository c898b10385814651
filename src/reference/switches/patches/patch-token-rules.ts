import type { Work } from "../../engine/admission.ts";
import { lawfulTokenRules, type TokenRules } from "../../engine/token-rules.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";

/** Completion length assumed where the request sets none. */
const defaultCompletionTokens = 256;

/** Estimate by the request's own `max_tokens`, as services make it that do not know the answer yet. */
function estimate(work: Work): number {
  if (work.maxCompletionTokens === 0) return work.promptTokens;
  return work.promptTokens + (work.requestedMaxTokens ?? defaultCompletionTokens);
}

export function patchTokenRules(switches: Switchboard): TokenRules {
  const lawful = lawfulTokenRules;
  const charge = firstChange(switches, lawful.toCharge, {
    "tokens/streams-free": (work, outcome, held) => (work.streaming ? 0 : lawful.toCharge(work, outcome, held)),
    "tokens/left-in-full": (work, outcome, held) =>
      outcome.ended === "aborted" ? work.promptTokens + work.maxCompletionTokens : lawful.toCharge(work, outcome, held),
    "tokens/left-free": (work, outcome, held) => (outcome.ended === "aborted" ? 0 : lawful.toCharge(work, outcome, held)),
    "tokens/cached-free": (work, outcome, held) => lawful.toCharge(work, outcome, held) - work.cachedTokens,
    "tokens/cached-twice": (work, outcome, held) => lawful.toCharge(work, outcome, held) + work.cachedTokens,
    "tokens/embeddings-free": (work, outcome, held) =>
      work.endpoint === "embeddings" ? 0 : lawful.toCharge(work, outcome, held),
    "tokens/prompt-only": (_work, outcome) => outcome.promptTokens,
    "tokens/completion-only": (_work, outcome) => outcome.completionTokens,
    "tokens/double": (...facts) => 2 * lawful.toCharge(...facts),
    "tokens/estimate-kept": (_work, _outcome, held) => held,
    "tokens/stream-estimate-kept": (work, outcome, held) => (work.streaming ? held : lawful.toCharge(work, outcome, held)),
    "tokens/reservation-leak": (work, outcome, held) => held + lawful.toCharge(work, outcome, held),
  });
  const chargeFailed = firstChange(switches, lawful.toCharge, { "tokens/reservation-leak": (_work, _outcome, held) => held });
  return {
    toHold: firstChange(switches, lawful.toHold, {
      "tokens/estimate-reconciled": estimate,
      "tokens/estimate-kept": estimate,
      "tokens/stream-estimate-kept": estimate,
      "tokens/reservation-leak": estimate,
    }),
    toCharge: (work, outcome, held) => (outcome.ended === "failed" ? chargeFailed : charge)(work, outcome, held),
  };
}
