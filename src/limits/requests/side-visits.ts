import type { LimitOp } from "../history/op.ts";
import type { Probe, ProbeTools } from "../exam/probe-tools.ts";

/** After its burst: one visit that prolongs a window which each request prolongs, one when every other has ended. */
const visitsAt: readonly { readonly windows: number; readonly ms: number }[] = [
  { windows: 0.8, ms: 0 },
  { windows: 1.2, ms: 4000 },
];

/** Most that the burst sends; of a larger limit it uses a smaller part. */
const mostSent = 240;

/** Requests in the window before: so few that what a counter still weighs of them falls by one in more than two lone retries. */
const mostBefore = 5;
/** Left when the burst has come near the end: both visits, and the last of the burst where remaining does not count it yet. */
const leftOver = 3;
/** Nothing else came for so long and the time of two requests: no limiter that smooths bursts refuses this one. */
const lonePauseMs = 3500;
const loneTries = 3;

export interface SideVisits {
  /** As the tools it was made of; visits that are due are sent while it sleeps. */
  readonly tools: ProbeTools;
  /** A few requests of the other key, in the window before the one that begins with its burst. */
  prepare(limit: number): Promise<void>;
  /** Uses three quarters of the other key's allowance, and where that counted exactly nearly all of it, if it has not begun before. */
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
    prepare: async (limit) => {
      if (probe === null) return;
      for (let count = Math.min(mostBefore, Math.floor(limit / 10)); count > 0; count -= 1) await tools.send(probe);
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
      if (!(await comesNearTheEnd(tools, probe, first, wanted + 1))) return;
      const doneMs = tools.clock.nowMs();
      due = visitsAt.map(({ windows, ms }) => doneMs + windows * tools.windowMs + ms);
    },
    finish: () => visitUntil(Number.POSITIVE_INFINITY),
  };
}

/**
 * Uses what is left but three, where the burst lowered remaining by exactly what was sent: who is refused with more remaining weighs something
 * that it does not show, and asks to be asked again, alone. Whether nothing was refused.
 */
async function comesNearTheEnd(tools: ProbeTools, probe: Probe, first: LimitOp, used: number): Promise<boolean> {
  const last = await tools.send(probe);
  const { limit, remaining } = last.requests;
  if (last.outcome !== "admitted") return false;
  if (limit === null || limit > mostSent || remaining !== first.requests.remaining! - used) return true;
  const ops = await tools.burst(probe, Math.max(0, remaining - leftOver));
  if (ops.every(({ outcome }) => outcome === "admitted")) return true;
  const pauseMs = Math.max(lonePauseMs, 1500 + (2 * tools.windowMs) / limit);
  for (let count = 0; count < loneTries; count += 1) {
    await tools.sleep(pauseMs, "refused although requests remain: a lone request after a pause");
    await tools.send(probe);
  }
  return false;
}
