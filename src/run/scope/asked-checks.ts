import type { LimitCheckId } from "../../core/result/checks/limit-check.ts";
import { limitChecks } from "../../core/result/checks/limit-checks.ts";

/** The limit checks that a run asked about: those that it named, else those that decide a row which it named; null: all. */
export function askedChecks(rows: ReadonlySet<string> | null, named: readonly string[]): ReadonlySet<LimitCheckId> | null {
  if (rows === null) return null;
  const byName = new Set(named);
  const ofNamed = new Set(limitChecks.filter(({ id }) => byName.has(id)).flatMap(({ requirements }) => requirements));
  // A check that was named answers for the rows that it decides.
  const asked = limitChecks.filter(
    ({ id, requirements }) => byName.has(id) || requirements.some((row) => rows.has(row) && !ofNamed.has(row)),
  );
  return new Set(asked.map(({ id }) => id));
}
