import { closestWord } from "../../core/closest-word.ts";
import type { Switch, Switchboard } from "./switch.ts";
import { allSwitches } from "./all-switches.ts";
import { operatorMutants } from "./broken/operators/operator-mutants.ts";
import { findOperator, type Operator } from "./broken/operators/operators.ts";

/** The switches that are on; may change while the service runs. */
export interface LiveSwitchboard extends Switchboard {
  active(): readonly string[];
  /** Those among them that are operators. */
  operators(): readonly Operator[];
  /** Replaces all. Throws a RangeError that names what is unknown or contradictory. */
  set(ids: readonly string[]): void;
}

export function createSwitchboard(ids: readonly string[] = []): LiveSwitchboard {
  let active: ReadonlySet<string> = new Set();
  let operators: readonly Operator[] = [];
  const set = (wanted: readonly string[]): void => {
    checkSwitches(wanted);
    active = new Set(wanted);
    operators = wanted.map(findOperator).filter((operator) => operator !== null);
  };
  set(ids);
  return { on: (id) => active.has(id), active: () => [...active], operators: () => operators, set };
}

const byId: ReadonlyMap<string, Switch> = new Map([...allSwitches, ...operatorMutants].map((entry) => [entry.id, entry]));

/** The registered switch; throws with the nearest known id, if any is near, when there is none. */
export function findSwitch(id: string): Switch {
  const found = byId.get(id);
  if (found !== undefined) return found;
  const near = closestWord(id, [...byId.keys()]);
  throw new RangeError(`There is no variant or mutant "${id}".${near === null ? "" : ` Did you mean "${near}"?`}`);
}

function checkSwitches(ids: readonly string[]): void {
  for (const id of ids) {
    const entry = findSwitch(id);
    const clash = entry.kind === "variant" ? entry.excludes?.find((other) => ids.includes(other)) : undefined;
    if (clash !== undefined) throw new RangeError(`"${id}" and "${clash}" contradict each other.`);
  }
}
