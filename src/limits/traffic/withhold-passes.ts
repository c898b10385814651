import type { LimitFigures } from "../../core/limit-figures.ts";
import type { LoadLimitCheck } from "../../core/result/gate-result.ts";

export interface SaidOfLimits {
  readonly figures: LimitFigures;
  readonly checks: readonly LoadLimitCheck[];
}

/** If clocks are known less well than this, defects stay hidden that one machine sees: docs/measurements/agents.md. */
const resolvedMs = 20;

/**
 * Withholds passes from a history whose instants several clocks show. Wider intervals accuse nobody wrongly, but they also hide
 * what one machine would find: beyond the bound what was not refuted is not passed.
 */
export function withholdPasses<Said extends SaidOfLimits>(said: Said, clockErrorMs: number): Said {
  if (clockErrorMs <= resolvedMs) return said;
  const message = `clocks of agents are known within ${Math.ceil(clockErrorMs)} ms, which may hide what ${resolvedMs} ms would show`;
  const { over_admission, violations } = said.figures;
  return {
    ...said,
    figures: { over_admission: over_admission === 0 ? null : over_admission, violations: violations === 0 ? null : violations },
    checks: said.checks.map((check) => (check.verdict === "pass" ? { ...check, verdict: "inconclusive", message } : check)),
  };
}
