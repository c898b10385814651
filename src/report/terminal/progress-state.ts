import type { Exchange } from "../../core/exchange/exchange.ts";
import type { AnswerCounts, ProgressEvent } from "../../core/progress.ts";

/** Everything the live view shows, folded from events. */
export interface ProgressState {
  readonly startedMs: number;
  readonly stage: Exchange["stage"] | null;
  readonly done: number;
  readonly total: number;
  readonly current: string;
  readonly stageStartedMs: number;
  /** Real time that the stage, or the profile of load, is known to take; null where it is not known. */
  readonly plannedMs: number | null;
  /** How much of the stage was done at an instant; null where its units say nothing about time. */
  readonly reached: { readonly share: number; readonly atMs: number } | null;
  readonly sent: number;
  readonly succeeded: number;
  readonly limited: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  readonly unanswered: number;
  /** The latest times to first token, newest last. */
  readonly ttfts: readonly number[];
  readonly load: Extract<ProgressEvent, { kind: "load" }> | null;
  readonly waiting: { readonly reason: string; readonly untilMs: number } | null;
}

const keptTtfts = 200;

export function initialProgress(nowMs: number): ProgressState {
  return {
    startedMs: nowMs,
    stage: null,
    done: 0,
    total: 0,
    current: "",
    stageStartedMs: nowMs,
    plannedMs: null,
    reached: null,
    sent: 0,
    succeeded: 0,
    limited: 0,
    clientErrors: 0,
    serverErrors: 0,
    unanswered: 0,
    ttfts: [],
    load: null,
    waiting: null,
  };
}

export function applyProgress(state: ProgressState, event: ProgressEvent, nowMs: number): ProgressState {
  switch (event.kind) {
    case "stage-started":
      return {
        ...state,
        stage: event.stage,
        done: 0,
        total: 0,
        current: event.title,
        stageStartedMs: nowMs,
        plannedMs: event.etaMs,
        reached: null,
        load: null,
        waiting: null,
      };
    case "advanced":
      return {
        ...state,
        stage: event.stage,
        done: event.done,
        total: event.total,
        current: event.current,
        ...reach(state, event.share, nowMs),
      };
    case "answered":
      return countAnswer(state, event);
    case "load":
      return {
        ...addAnswers(state, event.answers),
        stage: "load",
        load: event,
        stageStartedMs: nowMs - event.elapsedMs,
        plannedMs: event.durationMs,
        reached: null,
      };
    case "waiting":
      return { ...state, waiting: { reason: event.reason, untilMs: nowMs + event.ms } };
    case "note":
      break;
    case "stage-finished":
      return { ...state, current: event.summary, load: null, waiting: null, plannedMs: null, reached: null };
  }
  return state;
}

/** A share that falls is that of another part of the stage: repeats of what failed begin where the cases ended. */
function reach(
  { reached, stageStartedMs, plannedMs }: ProgressState,
  share: number | null,
  nowMs: number,
): Pick<ProgressState, "reached" | "stageStartedMs" | "plannedMs"> {
  if (share === null) return { reached, stageStartedMs, plannedMs };
  const isNext = reached !== null && share < reached.share;
  return {
    reached: { share, atMs: nowMs },
    stageStartedMs: isNext ? reached.atMs : stageStartedMs,
    plannedMs: isNext ? null : plannedMs,
  };
}

/** Load reports sums: its time to first token stands in a line of its own. */
function addAnswers(state: ProgressState, answers: AnswerCounts | undefined): ProgressState {
  if (answers === undefined) return state;
  const { succeeded, limited, clientErrors, serverErrors, unanswered } = answers;
  return {
    ...state,
    sent: state.sent + succeeded + limited + clientErrors + serverErrors + unanswered,
    succeeded: state.succeeded + succeeded,
    limited: state.limited + limited,
    clientErrors: state.clientErrors + clientErrors,
    serverErrors: state.serverErrors + serverErrors,
    unanswered: state.unanswered + unanswered,
  };
}

function countAnswer(state: ProgressState, event: Extract<ProgressEvent, { kind: "answered" }>): ProgressState {
  const { status } = event;
  const ttfts = event.ttftMs === null ? state.ttfts : [...state.ttfts.slice(1 - keptTtfts), event.ttftMs];
  return {
    ...state,
    sent: state.sent + 1,
    succeeded: state.succeeded + Number(status !== null && status < 300),
    limited: state.limited + Number(status === 429),
    clientErrors: state.clientErrors + Number(status !== null && status >= 400 && status < 500 && status !== 429),
    serverErrors: state.serverErrors + Number(status !== null && status >= 500),
    unanswered: state.unanswered + Number(status === null),
    ttfts,
  };
}
