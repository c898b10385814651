import type { Personality } from "../detection/personalities.ts";

/** Lawful services that differ in how they limit: one reading of each policy, taken together. */
export const limitPersonalities: readonly Personality[] = [
  { name: "plain", variants: [] },
  {
    name: "windows from the first request",
    variants: ["limits/fixed-first", "limits/retry-after-header-only", "burst/first-request-minute", "tokens/charged-after"],
  },
  {
    name: "sliding log",
    variants: ["limits/sliding-log", "limits/reset-floor", "burst/clock-minute", "spend/retry-after-header"],
  },
  {
    name: "sliding counter",
    variants: ["limits/sliding-counter", "limits/remaining-late-read", "burst/refilling", "tokens/estimate-reconciled"],
  },
  {
    name: "token bucket",
    variants: ["limits/token-bucket", "limits/retry-after-date", "burst/cooldown-from-excess", "spend/after-crossing"],
  },
  {
    name: "cell rate",
    variants: ["limits/gcra", "limits/reset-nearest", "burst/allowance-not-restored", "spend/anniversary-cycle"],
  },
  {
    name: "strict and proxied",
    variants: [
      "limits/client-errors-count",
      "limits/retry-after-body-only",
      "transport/close-per-response",
      "headers/names-title-case",
      "spend/all-endpoints-refused",
      "settings/delayed",
    ],
  },
  {
    name: "small bucket, queue",
    variants: ["limits/burst-below-limit", "limits/remaining-before", "burst/queue", "usage/report-lags"],
  },
];
