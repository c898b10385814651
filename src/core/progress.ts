import type { Exchange } from "./exchange/exchange.ts";

/** The events that a run reports while it goes; the terminal turns them into a live view or plain lines. */
export type ProgressEvent =
  /** The parts that follow the first stage of a run, each as its `stage-started` will announce it. */
  | { readonly kind: "run-started"; readonly parts: readonly PlannedPart[] }
  | {
      readonly kind: "stage-started";
      readonly stage: Exchange["stage"];
      readonly title: string;
      /** Null where the answers decide: a closed loop. */
      readonly plannedRequests: number | null;
      /** The time that is known to be needed; null: it is not known, as on a clock that the waits move. */
      readonly etaMs: number | null;
    }
  /** Work units of the stage: cases, probe phases, seconds of a profile. */
  | {
      readonly kind: "advanced";
      readonly stage: Exchange["stage"];
      readonly done: number;
      readonly total: number;
      readonly current: string;
    }
  | {
      readonly kind: "answered";
      readonly stage: Exchange["stage"];
      readonly status: number | null;
      readonly ttftMs: number | null;
    }
  | {
      readonly kind: "load";
      readonly profile: string;
      readonly elapsedMs: number;
      readonly durationMs: number;
      readonly offeredPerSecond: number;
      readonly achievedPerSecond: number;
      readonly inFlight: number;
      readonly ttftP50: number | null;
      /** Slowest of the second: it holds too few for a tail. */
      readonly ttftMax: number | null;
      readonly dispatchDelayMax: number | null;
      readonly loopUtilization: number;
      /** Answers since the event before this one; the sum over all events of a profile is what it received. */
      readonly answers?: AnswerCounts;
    }
  | { readonly kind: "waiting"; readonly stage: Exchange["stage"]; readonly reason: string; readonly ms: number }
  | { readonly kind: "note"; readonly text: string }
  | { readonly kind: "stage-finished"; readonly stage: Exchange["stage"]; readonly summary: string };

export interface PlannedPart {
  readonly stage: Exchange["stage"];
  readonly plannedRequests: number | null;
  /** As in `stage-started`. */
  readonly etaMs: number | null;
}

/** Attempts that ended, by what came back. Load counts them up and reports the sum; other stages report every answer. */
export interface AnswerCounts {
  readonly succeeded: number;
  readonly limited: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  /** No response, or one that broke off. */
  readonly unanswered: number;
}

export type OnProgress = (event: ProgressEvent) => void;
