import type { Exchange } from "./exchange/exchange.ts";

/** What a run reports while it goes; the terminal turns it into a live view or plain lines. */
export type ProgressEvent =
  | {
      readonly kind: "stage-started";
      readonly stage: Exchange["stage"];
      readonly title: string;
      /** Null where the answers decide: a closed loop. */
      readonly plannedRequests: number | null;
      /** What is known to take real time; null where it is not, as on a clock that the waits move. */
      readonly etaMs: number | null;
    }
  /** Work units of the stage: cases, probe phases, seconds of a profile. */
  | {
      readonly kind: "advanced";
      readonly stage: Exchange["stage"];
      readonly done: number;
      readonly total: number;
      readonly current: string;
      /** How much of the requests of the stage belongs to what is done, 0 to 1; null where the plan of the stage has the time. */
      readonly share: number | null;
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
