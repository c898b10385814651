import type { Gate, GateCondition } from "../profile/gate.ts";
import type { LoadRecord } from "../samples/load-record.ts";

/**
 * Whether a gate is about a request; null: nobody knows, because no number of tokens was asked for and no usage counted them. A length
 * is the one that was asked for, where one was: it does not depend on how the request ended.
 */
export function matchWhere(
  { where = [] }: Pick<Gate, "where">,
  { label, askedPrompt, promptTokens }: Pick<LoadRecord, "label" | "askedPrompt" | "promptTokens">,
): boolean | null {
  const tokens = askedPrompt ?? promptTokens;
  let isKnown = true;
  for (const condition of where) {
    const holds = holdsFor(condition, label, tokens);
    if (holds === false) return false;
    if (holds === null) isKnown = false;
  }
  return isKnown ? true : null;
}

function holdsFor(condition: GateCondition, label: string, tokens: number | null): boolean | null {
  switch (condition.member) {
    case "labels":
      return condition.labels.includes(label);
    case "prompt":
      return tokens === null ? null : isOnSide(tokens, condition);
    // Models and single labels are resolved when a profile is read.
    case "label":
      return (label === condition.value) === condition.isEqual;
    case "model":
      return null;
    default:
      return condition satisfies never;
  }
}

function isOnSide(tokens: number, { operator, tokens: bound }: Extract<GateCondition, { member: "prompt" }>): boolean {
  if (operator === "<") return tokens < bound;
  if (operator === "<=") return tokens <= bound;
  return operator === ">" ? tokens > bound : tokens >= bound;
}
