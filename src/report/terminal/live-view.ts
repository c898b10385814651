import type { OnProgress, ProgressEvent } from "../../core/progress.ts";
import { clip } from "../escape/clip.ts";
import { fitWidth, terminalText } from "../escape/terminal.ts";
import { countOf, formatDuration } from "../text/format-number.ts";
import { drawProgress } from "./draw-progress.ts";
import { plainText } from "./plain-text.ts";
import { applyProgress, initialProgress, type ProgressState } from "./progress-state.ts";
import type { Screen } from "./screen.ts";

export interface LiveView {
  readonly onProgress: OnProgress;
  /** Clears the moving lines and stops the heartbeat; safe to call twice. */
  finish(): void;
}

/** For `--quiet`. */
export const silentView: LiveView = { onProgress: () => {}, finish: () => {} };

export interface LiveViewOptions {
  /** A line for each case that ends. */
  readonly verbose?: boolean;
  /** Monotonic milliseconds. */
  readonly nowMs?: () => number;
  /** Calls back repeatedly until stopped; must not keep the process alive. */
  readonly every?: (ms: number, call: () => void) => () => void;
}

const redrawMs = 100;
const heartbeatMs = 30_000;
const longestLine = 1_000;

/** Begin and end of a synchronized update (DEC private mode 2026): terminals that know it show no half-drawn frame. */
const beginUpdate = "\u001b[?2026h";
const endUpdate = "\u001b[?2026l";

/**
 * On a terminal a few lines that are redrawn at most ten times a second; elsewhere one line at the begin and end of each
 * stage and a heartbeat every 30 s.
 */
export function createLiveView(screen: Screen, options: LiveViewOptions = {}): LiveView {
  const nowMs = options.nowMs ?? (() => performance.now());
  const every = options.every ?? startInterval;
  const verbose = options.verbose === true;
  return screen.interactive ? createMovingView(screen, nowMs, every, verbose) : createLineView(screen, nowMs, every, verbose);
}

type Every = NonNullable<LiveViewOptions["every"]>;

function createMovingView(screen: Screen, nowMs: () => number, every: Every, verbose: boolean): LiveView {
  let state: ProgressState = initialProgress(nowMs());
  let drawn = 0;
  let dirty = true;
  let above = "";
  let finished = false;
  const erase = (): string => (drawn === 0 ? "" : `\u001b[${drawn}A\u001b[0J`);
  const draw = (): void => {
    if (!dirty) return;
    const lines = drawProgress(state, screen, nowMs());
    const frame = `${beginUpdate}\r${erase()}${above}${lines.map((text) => `${text}\n`).join("")}${endUpdate}`;
    drawn = lines.length;
    dirty = false;
    above = "";
    screen.write(frame);
  };
  // Elapsed time and silence move without events.
  const stop = every(redrawMs, draw);
  const stopClock = every(1_000, () => {
    dirty = true;
  });
  return {
    onProgress: (event) => {
      if (finished) return;
      state = applyProgress(state, event, nowMs());
      const line = lastingLine(event, screen, verbose);
      if (line !== null) above += `${line}\n`;
      dirty = true;
    },
    finish: () => {
      if (finished) return;
      finished = true;
      stop();
      stopClock();
      screen.write(`${beginUpdate}\r${erase()}${above}${endUpdate}`);
    },
  };
}

function createLineView(screen: Screen, nowMs: () => number, every: Every, verbose: boolean): LiveView {
  let state: ProgressState = initialProgress(nowMs());
  const say = (text: string): void => screen.write(`${text}\n`);
  const stop = every(heartbeatMs, () => say(drawProgress(state, screen, nowMs()).join(screen.unicode ? " · " : " | ")));
  return {
    onProgress: (event) => {
      state = applyProgress(state, event, nowMs());
      const line = lastingLine(event, screen, verbose);
      if (line !== null) say(line);
    },
    finish: stop,
  };
}

/** Events that stay on the screen. */
function lastingLine(event: ProgressEvent, screen: Screen, verbose: boolean): string | null {
  const dash = screen.unicode ? "·" : "-";
  // A log has no width: only a terminal cuts.
  const line = (text: string): string => {
    const clean = plainText(terminalText(clip(text, longestLine)), screen);
    return screen.interactive ? fitWidth(clean, screen.width, screen.unicode ? "…" : "...") : clean;
  };
  switch (event.kind) {
    case "stage-started": {
      const planned = event.plannedRequests === null ? [] : [`${countOf(event.plannedRequests, "request")} planned`];
      const eta = event.etaMs === null ? [] : [`about ${formatDuration(event.etaMs)}`];
      const known = [...planned, ...eta].join(", ");
      return screen.paint("bold", line(`${event.stage} ${dash} ${event.title}${known === "" ? "" : ` (${known})`}`));
    }
    case "stage-finished":
      return line(`${event.stage} done ${dash} ${event.summary}`);
    case "note":
      return line(event.text);
    case "waiting":
      // A terminal counts it down in place; a log has no other sign of life until the next heartbeat.
      return !verbose && (screen.interactive || event.ms < heartbeatMs)
        ? null
        : screen.paint("dim", line(`waiting ${formatDuration(event.ms)} ${dash} ${event.reason}`));
    case "advanced":
      return verbose ? screen.paint("dim", line(`${event.done}/${event.total} ${event.current}`)) : null;
    case "run-started":
    case "answered":
    case "load":
      break;
  }
  return null;
}

function startInterval(ms: number, call: () => void): () => void {
  const timer = setInterval(call, ms);
  timer.unref();
  return () => clearInterval(timer);
}
