/** So many connections have to show it: one may have been kept by another machine behind the same address. */
const sameIdles = 3;

/** The habits of a server, shared by all connections to it. */
export class ServerHabits {
  /** It closes connections after streams while announcing to keep them. */
  closesAfterStream = false;
  #quickestMs = Infinity;
  /** The longest idle times after which a connection still carried a request to its answer, the longest first. */
  readonly #kept: number[] = Array.from({ length: sameIdles }, () => 0);

  /** The head of a success came so long after its request: at least the time of a round trip. */
  noteAnswered(ms: number): void {
    this.#quickestMs = Math.min(this.#quickestMs, ms);
  }

  /** No round trip to it takes longer, milliseconds; opening a connection takes several, and whatever a busy machine adds to it. */
  get quickestMs(): number {
    return this.#quickestMs;
  }

  /** A request was answered over a connection that had been idle for so long before. */
  noteKept(idleMs: number): void {
    const shortest = this.#kept.at(-1);
    if (shortest === undefined || idleMs <= shortest) return;
    this.#kept.push(idleMs);
    this.#kept.sort((one, other) => other - one).pop();
  }

  /** So long an idle time does not make it close a connection, milliseconds. */
  get keptMs(): number {
    return this.#kept.at(-1) ?? 0;
  }
}
