import { setMaxListeners } from "node:events";
import { bodyBounds } from "../core/body-bounds.ts";
import { defaultRunMinutes } from "../core/default-run-minutes.ts";
import type { Manifest } from "../core/manifest.ts";
import { longestSeconds } from "../load/plan/longest-seconds.ts";
import type { RunOptions } from "./run-options.ts";

/** Bounds how long a run takes, whatever its target does: each wait has a bound, and a thousand of them are still long. */
export interface TimeBound {
  /** The options with a signal that also fires when the time is used up. */
  readonly options: RunOptions;
  /** The bound that was used up, in words; null while there is time. */
  readonly exceeded: () => string | null;
  /** The time before load is over: load has as much as its profiles take at most, unless the manifest bounds all of the run. */
  readonly beginLoad: () => void;
  readonly release: () => void;
  /** The bounds of the run, in words that are printed before it begins. */
  readonly words: string;
}

/** Longest delay of a timer of Node: beyond it, it fires at once. */
const longestTimerMs = 2 ** 31 - 1;
/** Time of load beside its profiles: the target is looked at, and this machine is calibrated. */
const readySeconds = 60;

/** `manifest`: of the target; for the embedded service, which is ours, any. */
export function boundTime(asked: RunOptions, manifest: Manifest): TimeBound {
  const declared = manifest.budget.maxMinutes ?? null;
  const hasLoad = asked.stages.includes("load");
  const loadSeconds = asked.profiles.reduce((sum, { profile }) => sum + longestSeconds(profile, manifest), readySeconds);
  const controller = new AbortController();
  let exceeded: string | null = null;
  const endAfter = (seconds: number, words: string): NodeJS.Timeout =>
    setTimeout(
      () => {
        exceeded = words;
        controller.abort();
      },
      Math.min(longestTimerMs, 1000 * seconds),
    ).unref();
  const minutes = declared ?? defaultRunMinutes;
  let timer = endAfter(60 * minutes, `the time of the run was used up after ${minutes} minutes (budget.maxMinutes)`);
  const signal = AbortSignal.any([asked.signal, controller.signal]);
  setMaxListeners(0, signal);
  return {
    options: { ...asked, signal },
    exceeded: () => exceeded,
    beginLoad() {
      if (declared !== null) return;
      clearTimeout(timer);
      timer = endAfter(loadSeconds, `load was ended after ${loadSeconds} s, the most that its profiles take`);
    },
    release: () => clearTimeout(timer),
    words: describeBounds(asked, manifest, declared, hasLoad ? loadSeconds : 0),
  };
}

function describeBounds(
  { stages, manifest }: RunOptions,
  { target }: Manifest,
  declared: number | null,
  loadSeconds: number,
): string {
  const isLoadOnly = stages.every((stage) => stage === "load");
  const before = isLoadOnly ? [] : [`${defaultRunMinutes} minutes before load (budget.maxMinutes)`];
  const load = loadSeconds > 0 ? [`${loadSeconds} s of load`] : [];
  return [
    manifest === null
      ? []
      : [manifest.budget.maxRequests === null ? "as many requests as fit in" : `${manifest.budget.maxRequests} requests`],
    declared === null ? [...before, ...load] : [`${declared} minutes (budget.maxMinutes)`],
    [`${(target.timeoutMs + bodyBounds(target).bodyTotalMs) / 1000} s for one answer`],
  ]
    .flat()
    .join(", ");
}
