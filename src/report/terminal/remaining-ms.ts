import type { ProgressState } from "./progress-state.ts";

export interface Remaining {
  /** Of the stage; null while nothing is known. */
  readonly stageMs: number | null;
  /** Of the whole run; null while a part of it is unknown, or where the stage is its last part. */
  readonly runMs: number | null;
}

/** Share of the planned requests below which answers say too little about those to come. */
const leastShare = 0.25;

/** Real time until the stage ends and until the run ends. */
export function remainingMs(state: ProgressState, nowMs: number): Remaining {
  const stageMs = ofStage(state, nowMs);
  const { later } = state;
  if (stageMs === null || later === null || later.length === 0) return { stageMs, runMs: null };
  const ofParts = later.map(({ etaMs, plannedRequests }) => etaMs ?? atPace(state, plannedRequests, nowMs));
  return { stageMs, runMs: ofParts.reduce<number | null>((sum, ms) => (sum === null || ms === null ? null : sum + ms), stageMs) };
}

/** The time left: that of the waits that its plan knows, or that which its answers let foresee, whichever is longer. */
function ofStage(state: ProgressState, nowMs: number): number | null {
  const { stageStartedMs, plannedMs, plannedRequests, forecast, sent, sentBefore } = state;
  const planned = plannedMs === null ? null : stageStartedMs + plannedMs - nowMs;
  // The plan knows waits alone. For a stage that does not know how long its answers take they say too little.
  if (forecast !== null && forecast.leftMs === null) return null;
  const foreseen = forecast?.leftMs == null ? null : forecast.leftMs - (nowMs - forecast.atMs);
  if (planned !== null || foreseen !== null) return Math.max(0, planned ?? 0, foreseen ?? 0);
  if (plannedRequests === null || sent - sentBefore < leastShare * plannedRequests) return null;
  return atPace(state, plannedRequests - (sent - sentBefore), nowMs);
}

/** The pace so far, for the requests to come: on a virtual clock nothing else takes time. */
function atPace({ stageStartedMs, sent, sentBefore }: ProgressState, requests: number | null, nowMs: number): number | null {
  if (requests === null || sent === sentBefore) return null;
  return Math.max(0, (requests * (nowMs - stageStartedMs)) / (sent - sentBefore));
}
