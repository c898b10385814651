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

/**
 * The time left: that of the waits that the plan knows, or the time so far by the share of the planned requests that were answered,
 * whichever is longer. Requests that repeat a failure are in no plan: nothing is known while they are sent.
 */
function ofStage(state: ProgressState, nowMs: number): number | null {
  const { stageStartedMs, plannedMs, plannedRequests, sent, sentBefore } = state;
  const waitsMs = plannedMs === null ? null : Math.max(0, stageStartedMs + plannedMs - nowMs);
  const answered = sent - sentBefore;
  if (plannedRequests === null || answered < leastShare * plannedRequests) return waitsMs;
  const paceMs = answered < plannedRequests ? atPace(state, plannedRequests - answered, nowMs) : null;
  return paceMs === null ? waitsMs : Math.max(waitsMs ?? 0, paceMs);
}

/** The pace so far, for the requests to come: on a virtual clock nothing else takes time. */
function atPace({ stageStartedMs, sent, sentBefore }: ProgressState, requests: number | null, nowMs: number): number | null {
  if (requests === null || sent === sentBefore) return null;
  return Math.max(0, (requests * (nowMs - stageStartedMs)) / (sent - sentBefore));
}
