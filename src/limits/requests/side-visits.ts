import type { LimitOp } from "../history/op.ts";
import type { Probe, ProbeTools } from "../exam/probe-tools.ts";

/** After its burst: one visit that prolongs a window which each request prolongs, one when every other has ended. */
const visitsAt: readonly { readonly windows: number; readonly ms: number }[] = [
  { windows: 0.8, ms: 0 },
  { windows: 1.2, ms: 4000 },
];

/** Most that the burst sends; of a larger limit it uses a smaller part. */
const mostSent = 240;

export interface SideVisits {
  /** As the tools it was made of; visits that are due are sent while it sleeps. */
  readonly tools: ProbeTools;
  /** Uses three quarters of the other key's allowance, if it has not begun before. */
  begin(): Promise<void>;
  /** Waits for what is left of it. */
  finish(): Promise<void>;
}

/**
 * Another key meanwhile, while the exam of the first one waits: three quarters of its allowance at once, none refused, then a request
 * now and then. What a lawful limiter counted a window ago it has given back by the end, however few requests come in between.
 */
export function createSideVisits(tools: ProbeTools, probe: Probe | null): SideVisits {
  let due: readonly number[] = [];
  let begun = probe === null;
  const visitUntil = async (untilMs: number): Promise<void> => {
    if (probe === null) return;
    for (let atMs = due[0]; atMs !== undefined && atMs <= untilMs; atMs = due[0]) {
      due = due.slice(1);
      await tools.sleep(atMs - tools.clock.nowMs(), "what another key used is given back");
      await tools.send(probe);
    }
  };
  return {
    tools: {
      ...tools,
      sleep: async (ms, reason) => {
        const untilMs = tools.clock.nowMs() + ms;
        await visitUntil(untilMs);
        if (Number.isFinite(ms)) await tools.sleep(Math.min(ms, untilMs - tools.clock.nowMs()), reason);
        else await tools.sleep(ms, reason);
      },
    },
    begin: async () => {
      if (begun || probe === null) return;
      begun = true;
      const first: LimitOp = await tools.send(probe);
      const { limit, remaining } = first.requests;
      if (first.outcome !== "admitted" || limit === null || remaining === null) return;
      const wanted = Math.min(mostSent, Math.floor(0.75 * remaining) - 1);
      for (let sent = 0; sent < wanted; sent += 60) {
        const ops = await tools.burst(probe, Math.min(60, wanted - sent));
        // One that was refused may have been counted: what is given back is not known any more.
        if (ops.some(({ outcome }) => outcome !== "admitted")) return;
      }
      const doneMs = tools.clock.nowMs();
      due = visitsAt.map(({ windows, ms }) => doneMs + windows * tools.windowMs + ms);
    },
    finish: () => visitUntil(Number.POSITIVE_INFINITY),
  };
}
