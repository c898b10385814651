import { performance } from "node:perf_hooks";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../core/clock.ts";
import { parseHttpUrl } from "../client/target-url.ts";
import { ControlPlane } from "./control-plane.ts";

/** Real time that woken sleepers get before time moves on for the next one. */
const wakeGraceMs = 5;
/** How far past the first timer of the service one step goes: what falls due this close together is answered together. */
const settleMs = 20;

interface Sleeper {
  readonly untilMs: number;
  wake(): void;
  fail(error: Error): void;
}

/**
 * The clock of the reference service, seen from here. `sleep` advances the service's clock over its control plane and
 * shifts `nowMs` and `wallMs` by the same amount; in between real time flows. What is sent while the service moves is stamped
 * with the time before, what is received with the time after (`leadMs`), so that an interval holds the instant of the service
 * whichever it was. Several sleepers are woken in the order of their instants. A service whose clock stands still between advances
 * is brought up to this clock by every sleep; until the first sleep its wall clock is taken to be that of this machine. At the moment
 * of the call it shows `beginsAtMs`.
 */
export function createControlClock(control: { readonly url: string; readonly token: string }, beginsAtMs = 0): Clock {
  const base = parseHttpUrl(control.url);
  const startMs = performance.now() - beginsAtMs;
  let shiftMs = 0;
  /** What `shiftMs` is about to grow by while the service is asked to move: it moves at some instant in between. */
  let leadMs = 0;
  /** Wall clock of the service less `nowMs`. */
  let wallOffsetMs = Date.now() - beginsAtMs;
  let synchronised = false;
  let advancing = false;
  let sleepers: Sleeper[] = [];

  const nowMs = (): number => performance.now() - startMs + shiftMs;

  /**
   * Moves both clocks forward, until this one shows `untilMs` or the service had something due before that: a response that
   * was held back has to arrive at its own time, not at the end of the sleep.
   */
  const advanceTowards = async (plane: ControlPlane, untilMs: number): Promise<void> => {
    const before = await plane.readTime();
    const aheadMs = before.isManual && synchronised ? Math.max(0, nowMs() + wallOffsetMs - before.wallMs) : 0;
    const readMs = performance.now();
    const leftMs = Math.max(0, untilMs - nowMs());
    const dueMs = before.nextTimerMs === null ? leftMs : Math.max(0, before.nextTimerMs - before.wallMs - aheadMs) + settleMs;
    const stepMs = Math.min(leftMs, dueMs);
    leadMs = stepMs;
    let after;
    try {
      after = await plane.advance(stepMs + aheadMs, settleMs);
      const movedMs = after.wallMs - before.wallMs - aheadMs;
      const flowedMs = after.isManual ? 0 : performance.now() - readMs;
      // It stops earlier where a request came meanwhile and set a timer.
      shiftMs += movedMs >= stepMs - 0.01 ? stepMs : Math.max(0, movedMs - flowedMs);
    } finally {
      leadMs = 0;
    }
    wallOffsetMs = after.wallMs - nowMs();
    synchronised = true;
  };

  const serve = async (): Promise<void> => {
    advancing = true;
    // The clock itself has no end of life at which a connection could be closed.
    const plane = new ControlPlane(base, control.token);
    // Sleepers that begin in the same turn take part in the order.
    await nextTurn();
    for (;;) {
      const next = sleepers.reduce<Sleeper | null>(
        (first, one) => (first === null || one.untilMs < first.untilMs ? one : first),
        null,
      );
      if (next === null) break;
      try {
        while (sleepers.includes(next) && next.untilMs > nowMs()) {
          await advanceTowards(plane, next.untilMs);
          if (next.untilMs <= nowMs()) break;
          // Code that is answered now may begin a shorter sleep.
          await delay(wakeGraceMs);
          if (sleepers.some((other) => other.untilMs < next.untilMs)) break;
        }
        if (next.untilMs > nowMs()) continue;
      } catch (cause) {
        const error = new Error("the clock of the reference service does not advance", { cause });
        for (const sleeper of sleepers) sleeper.fail(error);
        sleepers = [];
        break;
      }
      sleepers = sleepers.filter((sleeper) => sleeper !== next);
      next.wake();
      if (sleepers.length > 0) await delay(wakeGraceMs);
    }
    advancing = false;
    await plane.close();
  };

  return {
    nowMs,
    leadMs: () => leadMs,
    wallMs: () => nowMs() + wallOffsetMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason as Error);
          return;
        }
        const leave = (): void => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          reject(signal?.reason as Error);
        };
        const settle = (): void => signal?.removeEventListener("abort", leave);
        const sleeper: Sleeper = {
          untilMs: nowMs() + Math.max(0, ms),
          wake() {
            settle();
            resolve();
          },
          fail(error) {
            settle();
            reject(error);
          },
        };
        signal?.addEventListener("abort", leave, { once: true });
        sleepers.push(sleeper);
        if (!advancing) void serve();
      }),
  };
}
