import { performance } from "node:perf_hooks";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../core/clock.ts";
import { type ControlAddress, ControlPlane } from "./control-plane.ts";
import { startWallClock, type WallClock } from "./wall-clock.ts";

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
 * The clock of the reference service, seen from here. `sleep` advances the service's clock over its control plane and shifts
 * `nowMs` and `wallMs` by the same amount; in between real time flows. A request that is sent while the service moves is
 * stamped with the time before, an answer with the time after (`leadMs`), so that an interval holds the instant of the service
 * whichever it was. Several sleepers are woken in the order of their instants. A service whose clock stands still between
 * advances is brought up to this clock by every sleep; until the first sleep its wall clock is taken to be that of this
 * machine. At the moment at which it is made it shows `beginsAtMs`.
 */
export class ControlClock implements Clock {
  readonly #control: ControlAddress;
  readonly #startMs: number;
  #shiftMs = 0;
  /** The shift that follows while the service is asked to move: it moves at some instant in between. */
  #leadMs = 0;
  /** Wall clock of the service less `nowMs`. */
  #wallOffsetMs: number;
  #synchronised = false;
  #advancing = false;
  #sleepers: Sleeper[] = [];

  constructor(control: ControlAddress, beginsAtMs = 0, wall: WallClock = startWallClock()) {
    this.#control = control;
    this.#startMs = performance.now() - beginsAtMs;
    this.#wallOffsetMs = wall.nowMs() - beginsAtMs;
  }

  nowMs(): number {
    return performance.now() - this.#startMs + this.#shiftMs;
  }

  leadMs(): number {
    return this.#leadMs;
  }

  wallMs(): number {
    return this.nowMs() + this.#wallOffsetMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const leave = (): void => {
        this.#forget(sleeper);
        reject(signal?.reason as Error);
      };
      const settle = (): void => signal?.removeEventListener("abort", leave);
      const sleeper: Sleeper = {
        untilMs: this.nowMs() + Math.max(0, ms),
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
      this.#sleepers.push(sleeper);
      if (!this.#advancing) void this.#serve();
    });
  }

  /** Wakes one sleeper after the other until nobody sleeps. */
  async #serve(): Promise<void> {
    this.#advancing = true;
    // The clock itself has no end of life at which a connection could be closed.
    const plane = new ControlPlane(this.#control);
    // Sleepers that begin in the same turn take part in the order.
    await nextTurn();
    for (let next = this.#firstToWake(); next !== null; next = this.#firstToWake()) {
      try {
        await this.#advanceFor(plane, next);
        if (next.untilMs > this.nowMs()) continue;
      } catch (cause) {
        const error = new Error("the clock of the reference service does not advance", { cause });
        for (const sleeper of this.#sleepers) sleeper.fail(error);
        this.#sleepers = [];
        break;
      }
      this.#forget(next);
      next.wake();
      if (this.#sleepers.length > 0) await delay(wakeGraceMs);
    }
    this.#advancing = false;
    await plane.close();
  }

  #firstToWake(): Sleeper | null {
    return this.#sleepers.reduce<Sleeper | null>(
      (first, one) => (first === null || one.untilMs < first.untilMs ? one : first),
      null,
    );
  }

  #forget(sleeper: Sleeper): void {
    this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
  }

  /** Moves until the sleeper is due or gone, or somebody else is to be woken before it. */
  async #advanceFor(plane: ControlPlane, next: Sleeper): Promise<void> {
    while (this.#sleepers.includes(next) && next.untilMs > this.nowMs()) {
      await this.#advanceTowards(plane, next.untilMs);
      if (next.untilMs <= this.nowMs()) return;
      // Code that is answered now may begin a shorter sleep.
      await delay(wakeGraceMs);
      if (this.#sleepers.some((other) => other.untilMs < next.untilMs)) return;
    }
  }

  /**
   * Moves both clocks forward, until this one shows `untilMs` or the service had something due before that: a response that
   * was held back has to arrive at its own time, not at the end of the sleep.
   */
  async #advanceTowards(plane: ControlPlane, untilMs: number): Promise<void> {
    const before = await plane.readTime();
    const aheadMs = before.isManual && this.#synchronised ? Math.max(0, this.wallMs() - before.wallMs) : 0;
    const readMs = performance.now();
    const leftMs = Math.max(0, untilMs - this.nowMs());
    const dueMs = before.nextTimerMs === null ? leftMs : Math.max(0, before.nextTimerMs - before.wallMs - aheadMs) + settleMs;
    const stepMs = Math.min(leftMs, dueMs);
    this.#leadMs = stepMs;
    let after;
    try {
      after = await plane.advance(stepMs + aheadMs, settleMs);
      const movedMs = after.wallMs - before.wallMs - aheadMs;
      const flowedMs = after.isManual ? 0 : performance.now() - readMs;
      // It stops earlier where a request came meanwhile and set a timer.
      this.#shiftMs += movedMs >= stepMs - 0.01 ? stepMs : Math.max(0, movedMs - flowedMs);
    } finally {
      this.#leadMs = 0;
    }
    this.#wallOffsetMs = after.wallMs - this.nowMs();
    this.#synchronised = true;
  }
}
