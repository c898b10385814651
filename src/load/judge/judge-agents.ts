import type { AgentHealth } from "../../core/result/generator-health.ts";
import { loopFigures } from "../generator/loop-figures.ts";
import type { AgentFacts } from "../ledger/ledger-line.ts";
import type { ShareResult } from "../ledger/share-result.ts";

/** How wrong the clock of an agent may be; limit histories are widened by what it is. */
export const clockBoundMs = 250;

export interface JudgedAgents {
  readonly agents: readonly AgentHealth[];
  /** Why the profile says nothing of the target. */
  readonly reasons: readonly string[];
}

/** Every agent beside its share, in their order. */
export function judgeAgents(facts: readonly AgentFacts[], shares: readonly ShareResult[]): JudgedAgents {
  const agents = facts.map((agent, index): AgentHealth => {
    const share = shares[index];
    const sent = share?.records.filter((record) => record.outcome !== "not-sent") ?? [];
    const count = sent.length + (share?.overflow?.sent ?? 0);
    const seconds = share === undefined ? 0 : (share.endMs - share.startMs) / 1000;
    const health = share?.health ?? [];
    return {
      name: agent.name,
      clock: agent.clock,
      ceiling: agent.ceiling,
      lost: agent.lost,
      sent: count,
      ok: sent.filter((record) => record.outcome === "ok").length + (share?.overflow?.completed ?? 0),
      sentPerSecond: seconds > 0 ? count / seconds : 0,
      ...loopFigures(health),
    };
  });
  const reasons = agents.flatMap(({ name, clock, lost }) => {
    if (lost !== null) return [`agent lost: ${name}: ${lost}`];
    if (clock === null) return [`clocks: that of agent ${name} is not known`];
    if (clock.contradictions > 0) return [`clocks: that of agent ${name} was set while the profile ran`];
    return clock.errorMs > clockBoundMs
      ? [`clocks: that of agent ${name} is known within ${clock.errorMs.toFixed(0)} ms, ${clockBoundMs} ms are allowed`]
      : [];
  });
  return { agents, reasons };
}

/** By how much an instant of any agent may be wrong; 0 for one machine. */
export function worstClockErrorMs(agents: readonly AgentFacts[]): number {
  return agents.reduce((worst, { clock }) => Math.max(worst, clock?.errorMs ?? 0), 0);
}
