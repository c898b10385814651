import type { Clock } from "../../src/core/clock.ts";
import type { Sender } from "../../src/core/exchange/send-request.ts";
import type { ServiceClock } from "../../src/reference/clock/service-clock.ts";

/** What one reading of the clock costs, ms: instants differ and keep their order, and nothing depends on the speed of a machine. */
const readingMs = 0.01;

/** Turns of the event loop without an answer after which a request counts as held, if the service has set a timer. */
const heldTurns = 60;

export interface HandClock extends Clock {
  /** Whoever sends by this clock sends through it: time stands still while an answer is on its way. */
  watch(sender: Sender): Sender;
}

interface Sleeper {
  readonly dueMs: number;
  readonly signal: AbortSignal | undefined;
  wake(): void;
  fail(reason: unknown): void;
}

/**
 * The clock of a service in this process, moved by hand: time passes only when everybody sleeps or waits for an answer that the
 * service holds back, and then to whatever comes first, a sleeper or a timer of the service. Between that it passes by being read.
 * Same order of requests, same instants.
 */
export function createHandClock(service: ServiceClock): HandClock {
  const bornMs = service.wallMs();
  const sleepers = new Set<Sleeper>();
  let elapsedMs = 0;
  let underWay = 0;
  let answers = 0;
  let moving: Promise<void> | null = null;
  const nowMs = (): number => (elapsedMs += readingMs);
  const isAwaited = (): boolean => underWay > 0;

  /** True as soon as nothing moves by itself any more; false where the next answer has to be waited for. */
  const isQuiet = async (): Promise<boolean> => {
    const before = answers;
    for (let turn = 0; turn < heldTurns && isAwaited(); turn += 1) {
      await oneTurn();
      if (answers !== before) return false;
    }
    await oneTurn();
    return answers === before && (!isAwaited() || service.nextTimerMs() !== null);
  };

  const step = async (): Promise<void> => {
    const next = [...sleepers].toSorted((one, other) => one.dueMs - other.dueMs)[0];
    const timerMs = isAwaited() ? service.nextTimerMs() : null;
    const goals = [next?.dueMs, timerMs === null ? undefined : timerMs - bornMs].filter((goal) => goal !== undefined);
    if (goals.length === 0) return;
    elapsedMs = Math.max(elapsedMs, Math.min(...goals));
    await service.advance(Math.max(0, bornMs + elapsedMs - service.wallMs()));
    if (next === undefined || next.dueMs > elapsedMs || next.signal?.aborted === true) return;
    sleepers.delete(next);
    next.wake();
  };

  const move = async (): Promise<void> => {
    while (sleepers.size > 0 || isAwaited()) {
      if (await isQuiet()) await step();
      for (const sleeper of [...sleepers].filter(({ signal }) => signal?.aborted === true)) {
        sleepers.delete(sleeper);
        sleeper.fail(sleeper.signal?.reason);
      }
    }
    moving = null;
  };

  const watched = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    underWay += 1;
    moving ??= move();
    try {
      return await answer;
    } finally {
      underWay -= 1;
      answers += 1;
    }
  };

  return {
    nowMs,
    wallMs: () => bornMs + nowMs(),
    sleep: (ms, signal) =>
      new Promise((wake, fail) => {
        if (signal?.aborted === true) return fail(signal.reason as Error);
        sleepers.add({ dueMs: elapsedMs + Math.max(0, ms), signal, wake, fail });
        moving ??= move();
      }),
    watch: (sender) => ({
      send: (request) => watched(sender.send(request)),
      burst: (requests) => watched(sender.burst(requests)),
    }),
  };
}

/** All promise jobs and one turn of input and output. */
function oneTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
