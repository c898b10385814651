import type { Gate } from "../profile/gate.ts";
import { splitGate } from "./parse-gate.ts";

/**
 * The gates of one profile, each with an id of its own: where several bound the same figure of the same requests, the bound is a part of
 * the id, `ttft.p95[<800ms]`. A gate alone keeps its id when it is tightened. The same gate twice is one.
 */
export function nameGates(gates: readonly Gate[]): readonly Gate[] {
  const named = gates.map((gate) => {
    if (!gates.some((other) => other.id === gate.id && boundOf(other) !== boundOf(gate))) return gate;
    const id = gate.id.endsWith("]") ? `${gate.id.slice(0, -1)}, ${boundOf(gate)}]` : `${gate.id}[${boundOf(gate)}]`;
    return { ...gate, id };
  });
  return named.filter(({ id }, place) => named.findIndex((other) => other.id === id) === place);
}

function boundOf({ expression }: Gate): string {
  const { operator, bound } = splitGate(expression) ?? { operator: "", bound: "" };
  return `${operator}${bound}`;
}
