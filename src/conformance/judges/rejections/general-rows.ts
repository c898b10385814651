import type { ViolatedCondition } from "../../../core/exchange/intent.ts";

/** Rows on refusals in general that a refused request speaks for too, by the condition that it violates (spec, Errors). */
export const generalRows: Readonly<Record<Exclude<ViolatedCondition, "fault-trigger">, readonly string[]>> = {
  "no-credentials": ["ERR-013"],
  "bad-credentials": ["ERR-013"],
  "missing-scope": ["ERR-017"],
  "payment-required": [],
  "unknown-id": ["ERR-018"],
  "foreign-id": [],
  "malformed-json": ["ERR-020"],
  "no-object": [],
  "missing-field": ["ERR-021"],
  "out-of-range": ["ERR-022"],
  "wrong-type": ["ERR-023"],
  "wrong-media-type": [],
  "unknown-model": [],
  "unsupported-format": [],
};
