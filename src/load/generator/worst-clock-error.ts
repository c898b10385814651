import type { AgentFacts } from "../ledger/ledger-line.ts";

/** By how much an instant of any agent may be wrong; 0 for one machine. */
export function worstClockErrorMs(agents: readonly AgentFacts[]): number {
  return agents.reduce((worst, { clock }) => Math.max(worst, clock?.errorMs ?? 0), 0);
}
