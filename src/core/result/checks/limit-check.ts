import type { LimitCheckText } from "./limit-check-text.ts";
import type { LimitCheckId, LimitCheckPolicy } from "./limit-policies.ts";

export type { LimitCheckId };

/** One check of the limits stage. */
export interface LimitCheckEntry extends LimitCheckText {
  /** `<policy area>.<violation>`, where `limits` is the request limit, which came first; stable, part of result.json. */
  readonly id: LimitCheckId;
  /** The object of the check: a limit of the service, or requests that are queued in a cooldown. */
  readonly policy: LimitCheckPolicy;
}
