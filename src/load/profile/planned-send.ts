import type { PlannedSend } from "./load-profile.ts";

/** One request at an instant; what is not given is drawn from the workload. */
export function plannedSend(atMs: number, rest: Partial<PlannedSend> = {}): PlannedSend {
  return { atMs, session: null, turns: 1, promptTokens: null, outputTokens: null, step: 0, ...rest };
}
