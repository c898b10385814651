import { signOf } from "./operator-sign.ts";
import { allOperators, findOperator, operatorId } from "./operators.ts";
import { mutant } from "../../switch-builders.ts";
import type { Mutant } from "../../switch.ts";

/** The reason why an observer cannot hold this against a service; null where one can, and for what is no operator. */
export function whyUnobservable(id: string): string | null {
  const operator = findOperator(id);
  const sign = operator === null ? null : signOf(operator);
  return sign !== null && "hidden" in sign ? sign.hidden : null;
}

/** All of them as mutants. Those that nobody outside can see violate nothing that could be named. */
export const operatorMutants: readonly Mutant[] = allOperators.map((operator) => {
  const sign = signOf(operator);
  const title = `Operator ${operator.kind}: ${Object.values(operator).slice(1).join(", ")}`;
  return mutant(operatorId(operator), title, "violates" in sign ? [sign.violates] : []);
});
