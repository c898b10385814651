import type { Switchboard } from "../../defects/switch.ts";
import type { RateHeaders } from "../admission.ts";
import type { MeterView, RateView } from "./rate-limiter.ts";

/** What the response is, as far as its rate headers depend on it. */
export interface HeaderSubject {
  /** Counter that the request met; values are cached by it where a switch says so. */
  readonly counter: string;
  /** Whether the request itself is counted in the view. */
  readonly counted: boolean;
  /** Refused for the request limit. */
  readonly refused: boolean;
}

/** Age up to which a cached value is shown. */
const staleMs = 2000;

export interface HeaderWriter {
  write(view: RateView, subject: HeaderSubject): RateHeaders;
  clear(): void;
}

/** Turns counters into the six fields of the specification (Rate limits), every value a decimal integer. */
export function createHeaderWriter(switches: Switchboard): HeaderWriter {
  const cached = new Map<string, { readonly remaining: number; readonly atMs: number }>();
  const refusals = new Map<string, number>();

  const fresh = (counter: string, remaining: number, atMs: number): number => {
    const known = cached.get(counter);
    if (known !== undefined && atMs - known.atMs < staleMs && atMs >= known.atMs) return known.remaining;
    cached.set(counter, { remaining, atMs });
    return remaining;
  };

  const shownRemaining = (meter: MeterView, subject: HeaderSubject, atMs: number): number => {
    const remaining = Math.min(Math.max(meter.remaining, 0), meter.limit);
    if (switches.on("limits/remaining-before") && subject.counted) return Math.min(remaining + 1, meter.limit);
    if (switches.on("limits/remaining-rounded")) return Math.floor(remaining / 10) * 10;
    if (switches.on("limits/remaining-constant")) return meter.limit;
    if (switches.on("limits/remaining-stale")) return fresh(subject.counter, remaining, atMs);
    if (switches.on("limits/remaining-too-high-near-zero") && !subject.refused && remaining <= 3) return remaining + 1;
    if (switches.on("limits/remaining-on-reject") && subject.refused) return Math.max(1, Math.ceil(meter.limit / 20));
    if (switches.on("limits/remaining-negative")) {
      const refused = subject.refused ? (refusals.get(subject.counter) ?? 0) + 1 : 0;
      refusals.set(subject.counter, refused);
      return remaining - refused;
    }
    return remaining;
  };

  const shownReset = (meter: MeterView, atMs: number): string => {
    const inMs = Math.max(meter.resetAtMs - atMs, 0);
    if (switches.on("limits/reset-delta")) return String(Math.ceil(inMs / 1000));
    if (switches.on("limits/reset-duration")) return goDuration(inMs);
    if (switches.on("limits/reset-milliseconds")) return String(meter.resetAtMs);
    if (switches.on("limits/reset-window-start")) return String(Math.floor((meter.resetAtMs - meter.windowMs) / 1000));
    if (switches.on("limits/reset-moves")) return String(Math.ceil((atMs + meter.windowMs) / 1000));
    if (switches.on("limits/reset-far")) return String(Math.ceil((meter.resetAtMs + 2 * 86_400_000) / 1000));
    if (switches.on("limits/reset-floor")) return String(Math.floor(meter.resetAtMs / 1000));
    if (switches.on("limits/reset-nearest")) return String(Math.round(meter.resetAtMs / 1000));
    return String(Math.ceil(meter.resetAtMs / 1000));
  };

  return {
    write: (view, subject) => {
      const tokens = Math.min(Math.max(view.tokens.remaining, 0), view.tokens.limit);
      return {
        "x-ratelimit-limit-requests": String(view.requests.limit),
        "x-ratelimit-remaining-requests": String(shownRemaining(view.requests, subject, view.atMs)),
        "x-ratelimit-reset-requests": shownReset(view.requests, view.atMs),
        "x-ratelimit-limit-tokens": String(view.tokens.limit),
        "x-ratelimit-remaining-tokens": String(switches.on("tokens/remaining-constant") ? view.tokens.limit : tokens),
        "x-ratelimit-reset-tokens": shownReset(view.tokens, view.atMs),
      };
    },
    clear: () => {
      cached.clear();
      refusals.clear();
    },
  };
}

/** `1m2.5s`, the notation of Go's time.Duration. */
function goDuration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const seconds = (ms % 60_000) / 1000;
  return `${minutes > 0 ? `${minutes}m` : ""}${seconds}s`;
}
