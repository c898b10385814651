import { variant } from "../switch-builders.ts";
import type { Variant } from "../switch.ts";

const openMinute = "Whether the minute is fixed, sliding or refilled is open (BURST-021).";

const otherMinutes = (own: string): readonly string[] =>
  ["burst/clock-minute", "burst/first-request-minute", "burst/refilling"].filter((id) => id !== own);

export const burstVariants: readonly Variant[] = [
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
];
