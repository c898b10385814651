import type { EndpointId } from "../../core/exchange/endpoint.ts";
import { fixedFromFirst } from "../models/fixed-from-first.ts";
import { fixedWindow } from "../models/fixed-window.ts";
import type { LimiterModel, ModelState, RenewingLimiter } from "../models/limiter-model.ts";
import { tokenBucket } from "../models/token-bucket.ts";

/** How the model counts: a window of the clock, one that begins with the first request after it ended, or a bucket that refills. */
type DryFamily = "fixed-window" | "fixed-from-first" | "token-bucket";

const models: Readonly<Record<DryFamily, LimiterModel<RenewingLimiter>>> = {
  "fixed-window": fixedWindow,
  "fixed-from-first": fixedFromFirst,
  "token-bucket": tokenBucket,
};

export interface DryCounting {
  readonly family: DryFamily;
  /** The share of the limit that a bucket holds; absent: all of it. */
  readonly holdsShare?: number;
}

/** A limit with its limiter, which counts in place. */
export interface DryWindow {
  readonly limiter: RenewingLimiter;
  state: ModelState;
  /** The instant of the state. */
  atMs: number;
  /** Tokens that were counted in the window. */
  tokens: number;
}

/** A key of the model: one object for each. */
interface DryKey {
  readonly limit: number;
}

/** Counts the requests of each key on each endpoint. */
export class DryWindows {
  readonly #counting: DryCounting;
  readonly #windowMs: number;
  readonly #known = new Map<DryKey, Map<EndpointId | null, DryWindow>>();

  constructor(counting: DryCounting, windowMs: number) {
    this.#counting = counting;
    this.#windowMs = windowMs;
  }

  /** The window that is open now, or the bucket as it has refilled by now. */
  at(key: DryKey, endpoint: EndpointId | null, wallMs: number): DryWindow {
    const window = this.#known.get(key)?.get(endpoint) ?? this.#begin(key, endpoint);
    if (window.atMs === wallMs) return window;
    window.atMs = wallMs;
    const { limiter } = window;
    const beganMs = limiter.beganMs(window.state);
    window.state = limiter.step(window.state, "ask", wallMs);
    if (limiter.beganMs(window.state) !== beganMs) window.tokens = 0;
    return window;
  }

  #begin(key: DryKey, endpoint: EndpointId | null): DryWindow {
    const { limit } = key;
    const { family, holdsShare = 1 } = this.#counting;
    const limiter = models[family].init({
      limit,
      windowMs: this.#windowMs,
      phaseMs: 0,
      restarts: false,
      weigh: "exact",
      capacity: Math.ceil(limit * holdsShare),
      batchMs: 0,
    });
    const window = { limiter, state: limiter.start, atMs: Number.NEGATIVE_INFINITY, tokens: 0 };
    const ofKey = this.#known.get(key) ?? new Map<EndpointId | null, DryWindow>();
    this.#known.set(key, ofKey.set(endpoint, window));
    return window;
  }
}
