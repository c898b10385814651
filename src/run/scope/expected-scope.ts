import { repeatedId } from "../../core/result/repeated-id.ts";
import type { ScopeGap } from "../../core/result/scope-result.ts";
import type { Result } from "../../core/result/result.ts";
import type { Verdict } from "../../core/result/verdict.ts";
import { findLostCoverage, type Verdicts } from "./find-lost-coverage.ts";

/** The rows that an earlier run had a verdict on: requirements, policies of limits, gates. */
export interface ExpectedScope {
  /** The place that it was read from, for messages. */
  readonly source: string;
  /** With each row that nobody permitted to test, what the permission was for. */
  readonly verdicts: readonly (readonly [id: string, verdict: Verdict, notPermitted?: string])[];
}

type Judgements = Pick<Result, "conformance" | "limits" | "load">;

export function expectScopeOf(result: Judgements, source: string): ExpectedScope {
  const verdicts = [...verdictsOf(result)].map(([id, { verdict, message, untested }]) =>
    untested === "not-permitted" && message !== null ? ([id, verdict, message] as const) : ([id, verdict] as const),
  );
  return { source, verdicts };
}

/** The rows that the earlier run judged and this one did not. */
export function findLostScope(expected: ExpectedScope | null, result: Judgements): readonly ScopeGap[] {
  if (expected === null) return [];
  const before: Verdicts = new Map(
    expected.verdicts.map(([id, verdict, notPermitted]) => [
      id,
      { verdict, message: notPermitted ?? null, untested: notPermitted === undefined ? undefined : "not-permitted" },
    ]),
  );
  return findLostCoverage(before, verdictsOf(result)).map(({ id, next, message }) => ({
    id,
    reason: `${expected.source} judged it; now ${message ?? next ?? "it is absent"}`,
  }));
}

function verdictsOf({ conformance, limits, load }: Judgements): Verdicts {
  // Older results hold verdicts on rows of suites that were not asked for, too.
  const suites = new Set(conformance?.suites.map(({ id }) => id));
  return new Map([
    ...(conformance?.requirements ?? [])
      .filter(({ suite, inPassing }) => suites.has(suite) && inPassing !== true)
      .map((row) => [row.id, { verdict: row.verdict, message: row.reason, untested: row.untested }] as const),
    ...(limits?.policies ?? []).map(({ id, verdict, summary }) => [`limits ${id}`, { verdict, message: summary }] as const),
    ...(load?.profiles ?? []).flatMap((profile) =>
      profile.gates.map(
        ({ expression, verdict, reason }) =>
          [`load ${repeatedId(profile)}: ${expression}`, { verdict, message: reason }] as const,
      ),
    ),
  ]);
}
