/** Everything that can be observed about a profile (docs/guide/load.md, "Observations"): what a gate on `observations` may name. */
export const observationIds = [
  "buffered",
  "fake",
  "generated-whole",
  "clumped",
  "early-role",
  "queued",
  "broken-framing",
  "unfinished",
  "no-token",
  "closes-connections",
  "kept-slots",
  "response-cache",
  "interrupted",
  "timed-out",
] as const;

export type ObservationId = (typeof observationIds)[number];
