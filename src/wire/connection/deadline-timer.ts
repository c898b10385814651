/** Is called when its time is up. */
export interface DeadlineKeeper {
  onDeadline(): void;
}

/**
 * A timer for one keeper at a time, kept from one to the next: to set one again costs a fraction of making and clearing one
 * for each of tens of thousands of requests a second. It does not keep the process alive; what is waited for does.
 */
export class DeadlineTimer {
  #timer: NodeJS.Timeout | null = null;
  #ms = 0;
  #keeper: DeadlineKeeper | null = null;

  /**
   * Calls the keeper after `ms` milliseconds, unless it is disarmed or armed again before. Timers come before sockets in a turn
   * of the loop: after a pause of this process what has arrived meanwhile is read first, or our delay would be the target's.
   */
  arm(ms: number, keeper: DeadlineKeeper): void {
    this.#keeper = keeper;
    if (this.#timer !== null && this.#ms === ms) {
      this.#timer.refresh();
      return;
    }
    this.close();
    this.#keeper = keeper;
    this.#ms = ms;
    this.#timer = setTimeout(() => setImmediate(() => this.#keeper?.onDeadline()), ms).unref();
  }

  disarm(keeper: DeadlineKeeper): void {
    if (this.#keeper === keeper) this.#keeper = null;
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#keeper = null;
  }
}
