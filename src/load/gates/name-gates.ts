import type { Gate } from "../profile/gate.ts";
import { splitGate } from "./parse-gate.ts";

/**
 * The gates of one profile, each with an id of its own: where several bound the same figure of the same requests, the bound is a part of
 * the id, `ttft.p95[<800ms]`. A gate alone keeps its id when it is tightened. The same gate twice is one.
 */
export function nameGates(gates: readonly Gate[]): readonly Gate[] {
  const named = gates.map((gate) => {
    const ofFigure = gates.filter((other) => other.id === gate.id);
    if (ofFigure.every((other) => isSame(other, gate))) return gate;
    // `0.8s` is `800ms`: the first spelling of a bound stands for all.
    const bound = boundOf(ofFigure.find((other) => isSame(other, gate)) ?? gate);
    const id = gate.id.endsWith("]") ? `${gate.id.slice(0, -1)}, ${bound}]` : `${gate.id}[${bound}]`;
    return { ...gate, id };
  });
  return named.filter(({ id }, place) => named.findIndex((other) => other.id === id) === place);
}

/** Whether two gates bound a figure alike; a factor of units leaves the last digits open. */
function isSame(one: Gate, other: Gate): boolean {
  const slack = 1e-9 * Math.max(Math.abs(one.bound), Math.abs(other.bound));
  return one.operator === other.operator && Math.abs(one.bound - other.bound) <= slack;
}

function boundOf({ expression }: Gate): string {
  const { operator, bound } = splitGate(expression) ?? { operator: "", bound: "" };
  return `${operator}${bound}`;
}
