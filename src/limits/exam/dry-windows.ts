/** How the model counts: a window of the clock, one that begins with the first request after it ended, or a bucket that refills. */
export type DryFamily = "fixed-window" | "fixed-from-first" | "token-bucket";

export interface DryCounting {
  readonly family: DryFamily;
  /** The share of the limit that a bucket holds; absent: all of it. */
  readonly holdsShare?: number;
}

/** The part of a limit that is used; for a bucket, the part that is missing. */
export interface DryWindow {
  readonly atMs: number;
  endMs: number;
  /** They grow in place: a large limit is used up by tens of thousands of requests. */
  requests: number;
  tokens: number;
}

/** Counts the requests of each key on each endpoint. */
export class DryWindows {
  readonly #counting: DryCounting;
  readonly #windowMs: number;
  readonly #used = new Map<string, DryWindow>();

  constructor(counting: DryCounting, windowMs: number) {
    this.#counting = counting;
    this.#windowMs = windowMs;
  }

  /** The window that is open now, or the bucket as it has refilled by now; the first to ask begins it. */
  at(scope: string, limit: number, wallMs: number): DryWindow {
    const known = this.#used.get(scope);
    const window = this.#next(known, limit, wallMs);
    if (window !== known) this.#used.set(scope, window);
    return window;
  }

  /** Requests that a whole window or a full bucket lets in. */
  most(limit: number): number {
    return Math.ceil(limit * (this.#counting.holdsShare ?? 1));
  }

  /** After how long one more request is let in, where none is left. */
  waitMs({ requests, endMs }: DryWindow, limit: number, wallMs: number): number {
    if (this.#counting.family !== "token-bucket") return endMs - wallMs;
    return (requests - this.most(limit) + 1) * (this.#windowMs / limit);
  }

  count(scope: string, window: DryWindow, tokens: number): DryWindow {
    window.requests += 1;
    window.tokens += tokens;
    this.#used.set(scope, window);
    return window;
  }

  #next(known: DryWindow | undefined, limit: number, wallMs: number): DryWindow {
    const isWindow = this.#counting.family !== "token-bucket";
    if (isWindow && known !== undefined && known.endMs > wallMs) return known;
    const fresh = { atMs: wallMs, endMs: isWindow ? this.#endOf(wallMs) : wallMs, requests: 0, tokens: 0 };
    if (isWindow || known === undefined) return fresh;
    if (known.atMs === wallMs) {
      known.endMs = wallMs + (known.requests * this.#windowMs) / limit;
      return known;
    }
    const { atMs, requests: before, tokens } = known;
    const requests = Math.max(0, before - (limit * (wallMs - atMs)) / this.#windowMs);
    return { atMs: wallMs, endMs: wallMs + (requests * this.#windowMs) / limit, requests, tokens };
  }

  #endOf(wallMs: number): number {
    if (this.#counting.family === "fixed-from-first") return wallMs + this.#windowMs;
    return (Math.floor(wallMs / this.#windowMs) + 1) * this.#windowMs;
  }
}
