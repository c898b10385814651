import type { BurstCheckId } from "./burst-checks.ts";
import type { RequestCheckId } from "./request-checks.ts";
import type { SpendCheckId } from "./spend-checks.ts";
import type { LimitCheckText } from "./limit-check-text.ts";

/** Every check that the limits stage can report. */
export type LimitCheckId = RequestCheckId | BurstCheckId | SpendCheckId;

/** One check of the limits stage. */
export interface LimitCheckEntry extends LimitCheckText {
  /** `<policy area>.<violation>`; stable, part of result.json. */
  readonly id: LimitCheckId;
}
