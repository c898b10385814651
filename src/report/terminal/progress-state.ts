import type { Exchange } from "../../core/exchange/exchange.ts";
import type { AnswerCounts, PlannedPart, ProgressEvent } from "../../core/progress.ts";

/** Everything the live view shows, folded from events. */
export interface ProgressState extends AnswerCounts {
  readonly startedMs: number;
  readonly stage: Exchange["stage"] | null;
  readonly done: number;
  readonly total: number;
  readonly current: string;
  readonly stageStartedMs: number;
  /** Real time that the stage, or the profile of load, is known to take; null where it is not known. */
  readonly plannedMs: number | null;
  readonly plannedRequests: number | null;
  /** `sent` when the stage began. */
  readonly sentBefore: number;
  /** Parts of the run that have not begun; null where there is one only. */
  readonly later: readonly PlannedPart[] | null;
  readonly sent: number;
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
    plannedRequests: null,
    sentBefore: 0,
    later: null,
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
    case "run-started":
      return { ...state, later: event.parts.length > 1 ? event.parts : null };
    case "stage-started":
      return {
        ...state,
        stage: event.stage,
        done: 0,
        total: 0,
        current: event.title,
        stageStartedMs: nowMs,
        plannedMs: event.etaMs,
        plannedRequests: event.plannedRequests,
        sentBefore: state.sent,
        later: state.later === null ? null : state.later.slice(state.later.findIndex(({ stage }) => stage === event.stage) + 1),
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
      };
    case "waiting":
      return { ...state, waiting: { reason: event.reason, untilMs: nowMs + event.ms } };
    case "note":
      break;
    case "stage-finished":
      return {
        ...state,
        current: event.summary,
        load: null,
        waiting: null,
        plannedMs: null,
        plannedRequests: null,
      };
  }
  return state;
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
