import type { MatrixCell } from "./conformance-matrix.ts";
import type { Level, SuiteId } from "./requirement.ts";
import type { SuiteVerdict, UntestedReason, Verdict } from "./verdict.ts";

export interface ConformanceResult {
  readonly suites: readonly SuiteResult[];
  readonly requirements: readonly RequirementResult[];
  /** Answers of the target where the specification is silent. */
  readonly leniency: readonly LeniencyEntry[];
  /** Endpoint by condition as `buildMatrix` folds it; absent where it was not recorded. */
  readonly matrix: readonly MatrixCell[];
}

export interface SuiteResult {
  readonly id: SuiteId;
  readonly verdict: SuiteVerdict;
  /** `must.pass` -> 12 */
  readonly counts: Readonly<Record<Level, Readonly<Partial<Record<Verdict, number>>>>>;
}

export interface RequirementResult {
  readonly id: string;
  readonly suite: SuiteId;
  readonly level: Level;
  readonly section: string;
  readonly text: string;
  readonly verdict: Verdict;
  /** Mandatory for every verdict that is neither pass nor fail: `no-fixture: no key named secondary in the manifest`. */
  readonly reason: string | null;
  /** Present where the verdict is `untested`: the code that the reason begins with. */
  readonly untested?: UntestedReason;
  /** It was not asked for: a violation was seen in passing. It is no part of the scope. */
  readonly inPassing?: true;
  /** Subjects considered and violated. */
  readonly considered: number;
  readonly violated: number;
  readonly judges: readonly string[];
  /** A few sequence numbers that show the verdict. */
  readonly exchanges: readonly number[];
  readonly findings: readonly string[];
  readonly reading: string | null;
}

export interface LeniencyEntry {
  readonly requirement: string;
  readonly question: string;
  readonly answer: string;
  readonly exchanges: readonly number[];
}
