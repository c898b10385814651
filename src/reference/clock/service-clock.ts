import { setImmediate as turn } from "node:timers/promises";

export type ClockMode =
  | { readonly kind: "real" }
  /** Time flows `factor` times as fast as real time. */
  | { readonly kind: "scaled"; readonly factor: number }
  /** Time stands still between calls of `advance`. */
  | { readonly kind: "manual"; readonly startMs: number };

export interface ServiceTimer {
  cancel(): void;
}

interface PendingTimer {
  readonly dueMs: number;
  readonly fn: () => void;
}

/** Turns of the event loop without a due timer after which nothing more is expected before the target of an advance. */
const quietTurnsNeeded = 3;

/** Longest delay that setTimeout takes without overflowing. */
const longestDelayMs = 2 ** 31 - 1;

/**
 * The one clock of the reference service: windows, resets, `Date`, `created`, usage buckets, key states and every timer
 * read it, so that a cooldown or a month end can be tested in milliseconds. Node's own timers stay real: HTTP keep-alive
 * and sockets must not notice.
 */
export class ServiceClock {
  readonly mode: ClockMode;
  readonly #rate: number;
  readonly #originReal = performance.now();
  #baseMs: number;
  #armed: NodeJS.Timeout | null = null;
  #advancing: Promise<void> = Promise.resolve();
  /** By instant, and where that is equal by the order in which they were set. */
  readonly #timers: PendingTimer[] = [];

  constructor(mode: ClockMode = { kind: "real" }) {
    const rate = mode.kind === "manual" ? 0 : mode.kind === "scaled" ? mode.factor : 1;
    if (!Number.isFinite(rate) || rate < 0) throw new RangeError(`clock factor must be a positive number, got ${rate}`);
    this.mode = mode;
    this.#rate = rate;
    // performance.timeOrigin + now() is wall time that the system cannot step back.
    this.#baseMs = mode.kind === "manual" ? mode.startMs : performance.timeOrigin + this.#originReal;
  }

  /** Unix milliseconds of the service, with fraction when real time flows. Never steps back. */
  wallMs(): number {
    return this.#baseMs + (performance.now() - this.#originReal) * this.#rate;
  }

  /** Calls `fn` once when the clock reaches `dueMs`; equal instants fire in the order in which they were set. */
  at(dueMs: number, fn: () => void): ServiceTimer {
    const timers = this.#timers;
    const timer: PendingTimer = { dueMs, fn };
    // Searched from the end: most new timers are due after those that wait.
    timers.splice(timers.findLastIndex((other) => other.dueMs <= dueMs) + 1, 0, timer);
    if (timers[0] === timer) this.#arm();
    return {
      cancel: () => {
        const index = timers.indexOf(timer);
        if (index >= 0) timers.splice(index, 1);
        if (index === 0) this.#arm();
      },
    };
  }

  /** Resolves at `dueMs`, at once when that is past; rejects with the signal's reason when it is aborted first. */
  sleepUntil(dueMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error);
      if (dueMs <= this.wallMs()) return resolve();
      const leave = (): void => {
        timer.cancel();
        reject(signal?.reason as Error);
      };
      const timer = this.at(dueMs, () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      });
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  /**
   * Moves the clock forward. Due timers fire in the order of their instants, each at its own instant, and the promise jobs
   * that one releases run before the next fires. Calls queue up. Works in every mode: in the real one time also flows.
   */
  advance(ms: number): Promise<void> {
    return this.advanceToTimer(ms, Number.POSITIVE_INFINITY);
  }

  /**
   * The same, but no further than `settleMs` past the first timer that fires: what that timer released can then be answered and
   * received before time moves on.
   */
  advanceToTimer(ms: number, settleMs: number): Promise<void> {
    if (!(ms >= 0) || !Number.isFinite(ms)) return Promise.reject(new RangeError(`cannot advance the clock by ${ms} ms`));
    this.#advancing = this.#advancing.then(() => this.#advanceNow(ms, settleMs));
    return this.#advancing;
  }

  /** Instant of the next timer, null where none is set. */
  nextTimerMs(): number | null {
    return this.#timers[0]?.dueMs ?? null;
  }

  /** Drops all timers. */
  close(): void {
    this.#timers.length = 0;
    this.#arm();
  }

  /** Never moves time back: real time may have passed the instant already. */
  #jumpTo(instantMs: number): void {
    const behind = instantMs - this.wallMs();
    if (behind > 0) this.#baseMs += behind;
  }

  #fireDue(): void {
    for (let next = this.#timers[0]; next !== undefined && next.dueMs <= this.wallMs(); next = this.#timers[0]) {
      this.#timers.shift();
      next.fn();
    }
  }

  #arm(): void {
    if (this.#armed !== null) clearTimeout(this.#armed);
    this.#armed = null;
    const next = this.#timers[0];
    if (next === undefined || this.#rate === 0) return;
    // setTimeout may fire up to a millisecond early: the due check arms it again.
    const delay = Math.ceil((next.dueMs - this.wallMs()) / this.#rate);
    this.#armed = setTimeout(
      () => {
        this.#armed = null;
        this.#fireDue();
        this.#arm();
      },
      Math.min(Math.max(delay, 0), longestDelayMs),
    );
    this.#armed.unref();
  }

  async #advanceNow(ms: number, settleMs: number): Promise<void> {
    let targetMs = this.wallMs() + ms;
    let fired = false;
    // Requests under way may take some turns until they set their next timer, so only a quiet service is moved on.
    for (let quietTurns = 0; quietTurns < quietTurnsNeeded; quietTurns += 1) {
      // All promise jobs and one turn of input and output.
      await turn();
      const next = this.#timers[0];
      if (next === undefined || next.dueMs > targetMs) continue;
      quietTurns = -1;
      if (!fired) targetMs = Math.min(targetMs, next.dueMs + settleMs);
      fired = true;
      this.#jumpTo(next.dueMs);
      this.#timers.shift();
      next.fn();
    }
    this.#jumpTo(targetMs);
    this.#arm();
  }
}
