import { quantile } from "d3-array";
import { fitWidth, terminalText } from "../escape/terminal.ts";
import { formatDuration, formatNumber } from "../text/format-number.ts";
import { plainText } from "./plain-text.ts";
import type { ProgressState } from "./progress-state.ts";
import type { Screen } from "./screen.ts";

interface Remaining {
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

/** The moving lines: where the run is, what came back, how load and generator do. None is wider than the screen. */
export function drawProgress(state: ProgressState, screen: Screen, nowMs: number): readonly string[] {
  const lines = [positionLine(state, screen, nowMs), answersLine(state)];
  if (state.load !== null) lines.push(...loadLines(state.load));
  const waitMs = state.waiting === null ? 0 : state.waiting.untilMs - nowMs;
  if (state.waiting !== null && waitMs > 0) lines.push(`waiting ${formatDuration(waitMs)}: ${state.waiting.reason}`);
  const fitted = lines.map((text) => fitWidth(plainText(terminalText(text), screen), screen.width, screen.unicode ? "…" : "..."));
  return fitted.map((text, index) => (index === 0 ? screen.paint("bold", text) : screen.paint("dim", text)));
}

function positionLine(state: ProgressState, screen: Screen, nowMs: number): string {
  const parts: string[] = [state.stage ?? "starting"];
  if (state.total > 0) parts.push(bar(state.done / state.total, screen), `${state.done}/${state.total}`);
  else if (state.load !== null) parts.push(bar(state.load.elapsedMs / state.load.durationMs, screen));
  parts.push(formatDuration(Math.max(0, Math.round((nowMs - state.startedMs) / 1000) * 1000)));
  const { stageMs, runMs } = remainingMs(state, nowMs);
  const about = (ms: number): string => `~${formatDuration(Math.ceil(ms / 1000) * 1000)}`;
  // A countdown that is over says nothing: the stage still waits for answers.
  if (stageMs !== null && stageMs > 0)
    parts.push(`${about(stageMs)} left${runMs === null ? "" : `, ${about(runMs)} of the run`}`);
  if (state.current !== "") parts.push(state.current);
  return parts.join("  ");
}

function answersLine(state: ProgressState): string {
  const parts = [
    `sent ${state.sent}`,
    `2xx ${state.succeeded}`,
    `429 ${state.limited}`,
    `4xx ${state.clientErrors}`,
    `5xx ${state.serverErrors}`,
  ];
  if (state.unanswered > 0) parts.push(`no answer ${state.unanswered}`);
  const p50 = quantile(state.ttfts, 0.5);
  const p99 = quantile(state.ttfts, 0.99);
  if (p50 !== undefined && p99 !== undefined) parts.push(`ttft p50 ${formatNumber(p50)} p99 ${formatNumber(p99)} ms`);
  return parts.join("  ");
}

function loadLines(load: NonNullable<ProgressState["load"]>): readonly string[] {
  const ttft = load.ttftMax === null ? "" : `  ttft p50 ${formatNumber(load.ttftP50)} slowest ${formatNumber(load.ttftMax)} ms`;
  return [
    `${load.profile}  ${formatNumber(load.achievedPerSecond)}/s of ${formatNumber(load.offeredPerSecond)}/s  in flight ${load.inFlight}${ttft}`,
    `generator: event loop ${Math.round(load.loopUtilization * 100)} % busy  longest dispatch delay ${formatNumber(load.dispatchDelayMax)} ms`,
  ];
}

function bar(fraction: number, screen: Screen): string {
  const cells = 20;
  const filled = Math.round(Math.min(1, Math.max(0, fraction)) * cells);
  return screen.unicode
    ? "━".repeat(filled) + "╌".repeat(cells - filled)
    : `[${"#".repeat(filled)}${".".repeat(cells - filled)}]`;
}
