import type { Switchboard } from "../defects/switch.ts";
import type { Outcome, Work } from "./admission.ts";

/** Completion length assumed where the request sets none. */
const defaultCompletionTokens = 256;

/** Estimate by the request's own `max_tokens`, as services make it that do not know the answer yet. */
function estimatedTokens(work: Work): number {
  if (work.maxCompletionTokens === 0) return work.promptTokens;
  return work.promptTokens + (work.requestedMaxTokens ?? defaultCompletionTokens);
}

/** Tokens to hold at admission. */
export function tokensToHold(work: Work, switches: Switchboard): number {
  const estimates = ["tokens/estimate-reconciled", "tokens/estimate-kept", "tokens/reservation-leak"];
  return estimates.some((id) => switches.on(id)) ? estimatedTokens(work) : work.promptTokens + work.maxCompletionTokens;
}

/** Tokens that stay counted against the token limit once the outcome is known. */
export function tokensToCharge(work: Work, outcome: Outcome, heldTokens: number, switches: Switchboard): number {
  if (outcome.ended === "failed") return switches.on("tokens/reservation-leak") ? heldTokens : 0;
  const total = outcome.promptTokens + outcome.completionTokens;
  if (switches.on("tokens/streams-free") && work.streaming) return 0;
  if (switches.on("tokens/prompt-only")) return outcome.promptTokens;
  if (switches.on("tokens/completion-only")) return outcome.completionTokens;
  if (switches.on("tokens/double")) return 2 * total;
  if (switches.on("tokens/estimate-kept")) return heldTokens;
  if (switches.on("tokens/reservation-leak")) return heldTokens + total;
  return total;
}
