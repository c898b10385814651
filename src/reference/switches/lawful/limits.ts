import type { Variant } from "../switch.ts";
import { variant } from "../switch-builders.ts";

const openAlgorithm = "The specification names windows but no algorithm (Rate limits; reading AMB-12).";

/** Rows that speak of windows with a fixed end; a limiter without one shows something else lawfully. */
export const windowRows: readonly string[] = ["RATE-014", "RATE-023", "RATE-030", "RATE-040"];

/** Rows that see sooner or later that requests were not counted as they came. */
export const countRows: readonly string[] = ["RATE-039", "limits.lost-updates", "limits.algorithm"];

/** Limiters of which one excludes all others. */
const families: readonly (readonly [id: string, title: string, changes?: readonly string[]])[] = [
  ["limits/fixed-first", "A window begins with the first request after the last one ended"],
  ["limits/fixed-second", "As fixed-first, on a clock of whole seconds"],
  ["limits/sliding-log", "Counts the last 60 s exactly; reset is the oldest expiry", windowRows],
  ["limits/sliding-log-full-reset", "Counts the last 60 s exactly; reset is when the allowance is whole again", windowRows],
  ["limits/sliding-counter", "Weighs the last window into this one; reset is the end of the window", windowRows],
  [
    "limits/sliding-counter-full-reset",
    "Weighs the last window into this one; reset is when both have faded",
    [...windowRows, "limits.reset-too-far"],
  ],
  ["limits/token-bucket", "Bucket with continuous refill; reset is when it is full", windowRows],
  ["limits/token-bucket-next-reset", "Bucket with continuous refill; reset is the next unit", windowRows],
  ["limits/bucket-starts-empty", "Bucket that a new key has to fill first", [...windowRows, "RATE-017"]],
  ["limits/burst-below-limit", "Bucket that holds a quarter of the limit", [...windowRows, "RATE-017"]],
  ["limits/batch-refill", "Bucket that is refilled once a second", windowRows],
  ["limits/gcra", "Generic cell rate algorithm; reset is the theoretical arrival time", windowRows],
];

export const limitVariants: readonly Variant[] = [
  ...families.map(([id, title, changes]) => {
    const excludes = families.map(([other]) => other).filter((other) => other !== id);
    return variant(id, title, openAlgorithm, { excludes, ...(changes !== undefined ? { changes } : {}) });
  }),
  variant("limits/rejections-count", "Refused requests use up the limit too", "Which requests count is open (AMB-12).", {
    changes: [...windowRows, "RATE-024", "RATE-035"],
  }),
  variant("limits/client-errors-count", "Requests answered 4xx use up the limit too", "Which requests count is open (AMB-12).", {
    changes: ["RATE-035"],
  }),
  variant(
    "limits/remaining-before",
    "Remaining is shown as it was before this request",
    "Remaining may leave out the request itself.",
    { changes: ["RATE-017"] },
  ),
  variant(
    "limits/remaining-late-read",
    "Remaining is read when the head is written, not with the decision",
    "No response promises a snapshot of its decision.",
  ),
  variant("limits/remaining-rounded", "Remaining is rounded down to tens", "Fewer than remain is never a promise broken.", {
    changes: ["RATE-013", "RATE-039"],
    excludes: ["limits/remaining-before"],
  }),
  variant("limits/reset-floor", "Reset is rounded down to the second", "How a fraction is rounded is open (AMB-11).", {
    excludes: ["limits/reset-nearest"],
  }),
  variant("limits/reset-nearest", "Reset is rounded to the nearest second", "How a fraction is rounded is open (AMB-11).", {
    excludes: ["limits/reset-floor"],
  }),
  variant("limits/retry-after-header-only", "Retry-After only as a header", "Header or body carries the hint (Errors; AMB-08).", {
    changes: ["RATE-020"],
    excludes: ["limits/retry-after-body-only"],
  }),
  variant("limits/retry-after-body-only", "retry-after only in the body", "Header or body carries the hint (Errors; AMB-08).", {
    excludes: ["limits/retry-after-header-only", "limits/retry-after-date"],
  }),
  variant("limits/retry-after-date", "Retry-After as an HTTP date", "RFC 9110 section 10.2.3 allows both forms (AMB-36).", {
    excludes: ["limits/retry-after-body-only"],
  }),
];
