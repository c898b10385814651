/** How long one caller waits in all for a service that says that it is away, ms. */
export const awayAtMostMs = 120_000;

/** One attempt of a caller. */
export interface Attempt {
  readonly sentMs: number;
  /** Whether its answer says that the service is away. */
  readonly isAway: boolean;
  /** The wait before it, which the answer before it had asked for; null: it is no such repetition. */
  readonly keptMs: number | null;
}

/** How long a service has been away, caller by caller: the patience of check, of the exams of limits and of the look before a run. */
export interface Absences {
  /** Whether the caller has waited as long as anybody does. */
  isOver(caller: string): boolean;
  learn(caller: string, attempt: Attempt): void;
}

interface Away {
  readonly waitedMs: number;
  readonly untilMs: number;
}

/** Requests of one caller that are side by side wait at the same time. An answer that is none of an absence ends it. */
export function createAbsences(): Absences {
  const byCaller = new Map<string, Away>();
  const isOver = (caller: string): boolean => (byCaller.get(caller)?.waitedMs ?? 0) >= awayAtMostMs;
  return {
    isOver,
    learn(caller, { sentMs, isAway, keptMs }) {
      if (!isAway) {
        if (!isOver(caller)) byCaller.delete(caller);
        return;
      }
      if (keptMs === null) return;
      const { waitedMs, untilMs } = byCaller.get(caller) ?? { waitedMs: 0, untilMs: Number.NEGATIVE_INFINITY };
      const ownMs = Math.max(0, Math.min(keptMs, sentMs - untilMs));
      byCaller.set(caller, { waitedMs: waitedMs + ownMs, untilMs: Math.max(untilMs, sentMs) });
    },
  };
}
