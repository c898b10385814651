import { createModel, type ModelOptions } from "./limiter-model.ts";
import type { Answer } from "./lawful-history.ts";

/** The space of an exhaustive search: every instant of the grid, every order of one instant, every setting. */
export interface Question {
  readonly answers: readonly Answer[];
  readonly before: 0 | 1;
  readonly gridMs: number;
}

/**
 * Whether a limiter with these options can have given every answer: requests decide once within their span, and read then or later.
 * By depth-first search over grid instants; what was seen from a state is not searched again.
 */
export function explains(options: ModelOptions, shiftMs: number, { answers, before, gridMs }: Question): boolean {
  const model = createModel(options);
  const lastMs = Math.max(...answers.map(({ headersMs }) => headersMs));
  const seen = new Set<string>();

  const search = (atMs: number, decided: number, read: number, state: readonly number[]): boolean => {
    if (read === (1 << answers.length) - 1) return true;
    const key = `${atMs} ${decided} ${read} ${state.join()}`;
    if (atMs > lastMs || seen.has(key)) return false;
    seen.add(key);
    const now = atMs + shiftMs;
    let overdue = false;
    for (const [index, answer] of answers.entries()) {
      const bit = 1 << index;
      if ((read & bit) !== 0 || answer.sentMs > atMs) continue;
      overdue ||= answer.headersMs <= atMs;
      if ((decided & bit) === 0) {
        const { admitted, next } = model.decide(state, now);
        if (admitted !== (answer.outcome === "admitted")) continue;
        // A refusal shows nothing of the counter here.
        if (search(atMs, decided | bit, admitted ? read : read | bit, next)) return true;
      } else if (Math.min(options.limit, model.remaining(state, now) + before) === answer.remaining) {
        if (search(atMs, decided, read | bit, state)) return true;
      }
    }
    return !overdue && search(atMs + gridMs, decided, read, state);
  };
  return search(answers[0]?.sentMs ?? 0, 0, 0, model.start);
}

/** All settings of a family on a grid; `shiftMs` moves the clock, so that every phase of windows and batches is tried. */
export function settingsOf(
  base: ModelOptions,
  gridMs: number,
): readonly { readonly options: ModelOptions; readonly shiftMs: number }[] {
  const { family, limit, windowMs } = base;
  const shifts = (stepMs: number): readonly number[] => Array.from({ length: stepMs / gridMs }, (_, index) => index * gridMs);
  const rejects = [false, true];
  switch (family) {
    case "fixed-window":
      return [
        ...shifts(windowMs).map((shiftMs) => ({ options: { ...base, phaseMs: 0, restarts: false }, shiftMs })),
        { options: { ...base, restarts: true }, shiftMs: 0 },
      ];
    case "fixed-from-first":
      return [{ options: base, shiftMs: 0 }];
    case "sliding-log":
      return rejects.map((countsRejects) => ({ options: { ...base, countsRejects }, shiftMs: 0 }));
    case "sliding-counter":
      return rejects.flatMap((countsRejects) =>
        (["floor", "exact", "ceil"] as const).flatMap((weigh) => [
          ...shifts(windowMs).map((shiftMs) => ({
            options: { ...base, phaseMs: 0, countsRejects, weigh, restarts: false },
            shiftMs,
          })),
          { options: { ...base, countsRejects, weigh, restarts: true }, shiftMs: 0 },
        ]),
      );
    case "token-bucket":
    case "batch-refill": {
      const batches = family === "batch-refill" ? [windowMs / 6, windowMs / 2] : [0];
      return batches.flatMap((batchMs) =>
        Array.from({ length: limit }, (_, index) => index + 1).flatMap((capacity) =>
          Array.from({ length: 2 * capacity + 1 }, (_, half) => half / 2).flatMap((startLevel) =>
            shifts(batchMs > 0 ? batchMs : gridMs).map((shiftMs) => ({
              options: { ...base, capacity, startLevel, batchMs },
              shiftMs,
            })),
          ),
        ),
      );
    }
    default:
      return family satisfies never;
  }
}
