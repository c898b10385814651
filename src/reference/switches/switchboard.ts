import type { Switch, Switchboard } from "../switch.ts";
import { allSwitches } from "./all-switches.ts";

/** The switches that are on; may change while the service runs. */
export interface LiveSwitchboard extends Switchboard {
  active(): readonly string[];
  /** Replaces all. Throws a RangeError that names what is unknown or contradictory. */
  set(ids: readonly string[]): void;
}

export function createSwitchboard(ids: readonly string[] = []): LiveSwitchboard {
  let active: ReadonlySet<string> = new Set();
  const set = (wanted: readonly string[]): void => {
    checkSwitches(wanted);
    active = new Set(wanted);
  };
  set(ids);
  return { on: (id) => active.has(id), active: () => [...active], set };
}

const byId: ReadonlyMap<string, Switch> = new Map(allSwitches.map((entry) => [entry.id, entry]));

/** The registered switch; throws with the nearest known id when there is none. */
export function findSwitch(id: string): Switch {
  const found = byId.get(id);
  if (found !== undefined) return found;
  throw new RangeError(`There is no variant or mutant "${id}". Did you mean "${nearest(id)}"?`);
}

function checkSwitches(ids: readonly string[]): void {
  for (const id of ids) {
    const entry = findSwitch(id);
    const clash = entry.kind === "variant" ? entry.excludes?.find((other) => ids.includes(other)) : undefined;
    if (clash !== undefined) throw new RangeError(`"${id}" and "${clash}" contradict each other.`);
  }
}

function nearest(id: string): string {
  const ranked = [...byId.keys()].map((known) => ({ known, distance: editDistance(id, known) }));
  return ranked.reduce((best, next) => (next.distance < best.distance ? next : best)).known;
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}
