import type { RateHeaders } from "../../engine/admission.ts";
import type { RateView } from "../../engine/limiter/rate-op.ts";
import { lawfulHeaderRules, type HeaderRules } from "../../engine/limiter/header-rules.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";

/** Age up to which a cached value is shown. */
const staleMs = 2000;
const dayMs = 86_400_000;

export function patchHeaderRules(switches: Switchboard): HeaderRules {
  const lawful = lawfulHeaderRules;
  const cached = new Map<string, { readonly remaining: number; readonly atMs: number }>();
  const refusals = new Map<string, number>();

  const stale = (counter: string, remaining: number, atMs: number): number => {
    const known = cached.get(counter);
    if (known !== undefined && atMs - known.atMs < staleMs && atMs >= known.atMs) return known.remaining;
    cached.set(counter, { remaining, atMs });
    return remaining;
  };

  /** Refusals in a row at a counter. */
  const refusedInARow = (counter: string, refused: boolean): number => {
    const count = refused ? (refusals.get(counter) ?? 0) + 1 : 0;
    refusals.set(counter, count);
    return count;
  };

  const meant = firstChange(switches, lawful.remainingRequests, {
    "limits/remaining-before": (shown, { limit }, { counted }) => (counted ? Math.min(shown + 1, limit) : shown),
    "limits/remaining-rounded": (shown) => Math.floor(shown / 10) * 10,
  });
  /**
   * The change starts from the number that the service means to show: a defect is as wrong in every lawful reading of
   * remaining.
   */
  const shownInstead = firstChange(switches, lawful.remainingRequests, {
    "limits/remaining-constant": (_shown, { limit }) => limit,
    "limits/remaining-stale": (shown, _meter, { counter }, atMs) => stale(counter, shown, atMs),
    "limits/remaining-too-high-near-zero": (shown, _meter, { refused }) => (!refused && shown <= 3 ? shown + 1 : shown),
    "limits/remaining-on-reject": (shown, { limit }, { refused }) => (refused ? Math.max(1, Math.ceil(limit / 20)) : shown),
    "limits/remaining-negative": (shown, _meter, { counter, refused }) => shown - refusedInARow(counter, refused),
  });

  return {
    remainingRequests: (shown, meter, subject, atMs) => shownInstead(meant(shown, meter, subject, atMs), meter, subject, atMs),
    remainingTokens: firstChange(switches, lawful.remainingTokens, { "tokens/remaining-constant": (_shown, { limit }) => limit }),
    reset: firstChange(switches, lawful.reset, {
      "limits/reset-delta": ({ resetAtMs }, atMs) => String(Math.ceil(Math.max(resetAtMs - atMs, 0) / 1000)),
      "limits/reset-duration": ({ resetAtMs }, atMs) => goDuration(Math.max(resetAtMs - atMs, 0)),
      "limits/reset-milliseconds": ({ resetAtMs }) => String(resetAtMs),
      "limits/reset-window-start": ({ resetAtMs, windowMs }) => String(Math.floor((resetAtMs - windowMs) / 1000)),
      "limits/reset-moves": ({ windowMs }, atMs) => String(Math.ceil((atMs + windowMs) / 1000)),
      "limits/reset-far": ({ resetAtMs }) => String(Math.ceil((resetAtMs + 2 * dayMs) / 1000)),
      "limits/reset-floor": ({ resetAtMs }) => String(Math.floor(resetAtMs / 1000)),
      "limits/reset-nearest": ({ resetAtMs }) => String(Math.round(resetAtMs / 1000)),
    }),
    furtherFields: firstChange(switches, lawful.furtherFields, {
      "headers/ietf-fields": (view, stated) => ietfFields(view, stated, 0),
      "headers/ietf-of-a-consumer": (view, stated) => ietfFields(view, stated, 5),
    }),
    readsLate: () => switches.on("limits/remaining-late-read"),
    forget: () => {
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

/** The fields of the IETF draft for the numbers that the six fields state, but for so many requests more that remain. */
function ietfFields({ requests, tokens, atMs }: RateView, stated: RateHeaders, more: number): RateHeaders {
  const units = [
    { unit: "requests", meter: requests, add: more },
    { unit: "tokens", meter: tokens, add: 0 },
  ];
  const items = units.map(({ unit, meter: { resetAtMs, windowMs }, add }) => {
    const [limit, remaining] = [stated[`x-ratelimit-limit-${unit}`], Number(stated[`x-ratelimit-remaining-${unit}`])];
    const seconds = Math.max(0, Math.ceil((resetAtMs - atMs) / 1000));
    return {
      policy: `"${unit}";q=${limit};w=${Math.round(windowMs / 1000)};qu="${unit}"`,
      left: `"${unit}";r=${remaining + add};t=${seconds}`,
    };
  });
  return {
    "ratelimit-policy": items.map(({ policy }) => policy).join(", "),
    ratelimit: items.map(({ left }) => left).join(", "),
  };
}
