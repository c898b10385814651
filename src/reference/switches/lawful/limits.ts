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

const openMinute = "Whether the minute is fixed, sliding or refilled is open (BURST-021).";

const otherMinutes = (own: string): readonly string[] =>
  ["burst/clock-minute", "burst/first-request-minute", "burst/refilling"].filter((id) => id !== own);

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
  variant(
    "tokens/charged-after",
    "Tokens are charged when the response has ended",
    "When tokens are charged is open (RATE-031, RATE-041).",
    { excludes: ["tokens/estimate-reconciled"] },
  ),
  variant(
    "tokens/estimate-reconciled",
    "max_tokens is held and corrected at the end",
    "Holding an estimate is allowed (RATE-031).",
    { excludes: ["tokens/charged-after"] },
  ),
  variant(
    "tokens/left-in-full",
    "A stream that its client leaves is charged as if it had ended",
    "Who leaves has asked for the whole answer; how much of it is charged is open (RATE-031).",
  ),
  variant(
    "tokens/cached-free",
    "The beginning of a prompt that a cache holds is not charged, and the usage says how much that is",
    "The specification does not say whether cached tokens count; usage may carry further members.",
  ),
  variant(
    "burst/queue",
    "Requests wait for the end of the cooldown",
    "Queueing is one of the two preferences (Burst and cooldown, 2).",
    { changes: ["KEY-012", "KEY-014", "BURST-005", "BURST-006", "BURST-007", "BURST-008"] },
  ),
  variant(
    "burst/cooldown-from-excess",
    "The cooldown begins with the first refused request",
    "Where it begins is open (AMB-14).",
  ),
  variant(
    "burst/allowance-not-restored",
    "After a short cooldown the minute's allowance still counts",
    "Only the cooldown's length is stated.",
    { changes: ["BURST-004", "BURST-007"] },
  ),
  variant("burst/clock-minute", "The allowance belongs to a minute of the clock", openMinute, {
    excludes: otherMinutes("burst/clock-minute"),
  }),
  variant("burst/first-request-minute", "The minute begins with its first request", openMinute, {
    excludes: otherMinutes("burst/first-request-minute"),
  }),
  variant("burst/refilling", "The allowance refills continuously", openMinute, { excludes: otherMinutes("burst/refilling") }),
  variant("burst/queue-lifo", "The queue serves the newest first", "The order of queued requests is not stated."),
  variant(
    "spend/after-crossing",
    "The request that crosses the cap is served, the next one refused",
    "Costs are known only afterwards (AMB-38); what is in flight counts.",
  ),
  variant(
    "spend/account-first",
    "Where both caps are reached, that of the account refuses",
    "Which of two reached caps is named is open; no key can exceed either.",
  ),
  variant("spend/anniversary-cycle", "The billing month begins on the 15th", "Where the cycle begins is open (AMB-17).", {
    changes: ["SPEND-005"],
  }),
  variant(
    "spend/retry-after-header",
    "Quota refusals carry Retry-After too",
    "The header is open for quota refusals (SPEND-016).",
  ),
  variant(
    "spend/all-endpoints-refused",
    "A cap refuses free endpoints too, but no PATCH",
    "Requests with that key are refused (AMB-20).",
    { changes: ["SPEND-009"] },
  ),
];
