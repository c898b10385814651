import type { OutcomeClass } from "../../core/result/load-outcome.ts";
import type { JudgedGate } from "../gates/judge-gate.ts";

/**
 * Why a profile whose requests were sent measured nothing all the same; null when it measured. Rejects are what a gate on rejects
 * or limits is about, and nothing to anybody else.
 */
export function unmeasured(
  outcomes: Readonly<Partial<Record<OutcomeClass, number>>>,
  gates: readonly JudgedGate[],
): string | null {
  const rejects = (outcomes["rate-limited"] ?? 0) + (outcomes["burst-limited"] ?? 0) + (outcomes["spend-capped"] ?? 0);
  if ((outcomes.ok ?? 0) > 0 || (rejects > 0 && gates.some(isAboutRejects))) return null;
  const counted = Object.entries(outcomes).filter(([, count]) => count > 0);
  const total = counted.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return "nothing was measured";
  return `nothing was measured: none of ${total} requests succeeded (${counted.map(([name, count]) => `${count} ${name}`).join(", ")})`;
}

function isAboutRejects({ gate: { figure }, result: { verdict } }: JudgedGate): boolean {
  const named = figure.kind === "limits" || ("name" in figure && (figure.name === "reject_rate" || figure.name === "rejects"));
  return named && (verdict === "pass" || verdict === "fail");
}
