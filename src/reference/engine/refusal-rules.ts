import type { LimitCause, LimitRefusal } from "./refusal.ts";

/** The statement of a 429 about time, before it is written down. */
export interface RefusalFacts {
  readonly cause: LimitCause;
  readonly nowMs: number;
  /** Milliseconds until the request would be let in; until the end of the billing cycle for caps. */
  readonly waitMs: number;
}

export type RefusalFields = Pick<LimitRefusal, "headers" | "body">;

/** How a refusal by a limit looks. */
export interface RefusalRules {
  readonly status: (cause: LimitCause) => number;
  /** The shape with `error.code`, or that of quotas. */
  readonly shape: (cause: LimitCause) => "rate" | "quota";
  readonly retryAfterSeconds: (facts: RefusalFacts) => number;
  /** The complete fields of each shape. */
  readonly rate: (fields: RefusalFields, facts: RefusalFacts) => RefusalFields;
  readonly quota: (fields: RefusalFields, facts: RefusalFacts) => RefusalFields;
}

/** Seconds are rounded up: who waits that long is let in. */
export const lawfulRefusalRules: RefusalRules = {
  status: () => 429,
  shape: (cause) => (cause === "key-cap" || cause === "account-cap" ? "quota" : "rate"),
  retryAfterSeconds: ({ waitMs }) => Math.ceil(waitMs / 1000),
  rate: (fields) => fields,
  quota: (fields) => fields,
};
